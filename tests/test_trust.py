import ssl
import subprocess
import sys

CODE = """
import ssl, threading
from bot.trust import reading_later, trust
read = ssl.SSLContext.set_default_verify_paths
with reading_later():
    checks = ssl.create_default_context()
    ignores = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    ignores.check_hostname = False
    ignores.verify_mode = ssl.CERT_NONE
    ignores.set_default_verify_paths()
print(ssl.SSLContext.set_default_verify_paths is read)
print(checks.verify_mode is ssl.CERT_REQUIRED, checks.cert_store_stats()["x509_ca"])
found = []
threads = [threading.Thread(target=lambda: found.append(trust())) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
plain = ssl.create_default_context().cert_store_stats()
print(found == [checks] * 4, checks.cert_store_stats() == plain)
print(ignores.cert_store_stats()["x509_ca"])
"""


def test_contexts_made_meanwhile_trust_nobody_until_they_are_needed() -> None:
    done = subprocess.run(  # noqa: S603 - our own interpreter and our own words
        [sys.executable, "-c", CODE], capture_output=True, text=True, check=False
    )

    assert done.stdout.splitlines() == ["True", "True 0", "True True", "0"], done.stderr


def test_a_store_is_read_where_nothing_was_put_off() -> None:
    code = "from bot.trust import trust; print(trust().cert_store_stats()['x509_ca'])"
    done = subprocess.run(  # noqa: S603 - our own interpreter and our own words
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )

    expected = ssl.create_default_context().cert_store_stats()["x509_ca"]
    assert done.stdout.strip() == str(expected), done.stderr

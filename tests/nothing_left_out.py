"""A pytest plug-in for CI: a test that was skipped is a test that failed."""

import pytest


class _NothingLeftOut:
    def __init__(self) -> None:
        self._skipped: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self._skipped.append(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self._skipped.append(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._skipped and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for test in self._skipped:
            terminalreporter.write_line(f"LEFT OUT, and nothing may be: {test}", red=True)


def pytest_configure(config: pytest.Config) -> None:
    """Count what is skipped, in the process that hears of every test."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_NothingLeftOut(), "nothing left out")

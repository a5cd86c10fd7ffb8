-- Schema 1. Every time is in microseconds since 1970-01-01 UTC; every JSON text is `bot/store/codec.py`'s.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO meta (key, value) VALUES
  ('schema', 1),
  ('store_epoch', 1),  -- rises when a backup is restored
  ('boot', 0),         -- rises at every open: a lease belongs to a boot and ends with it
  ('seq', 0);          -- the last line: what is heard and what is said share one count

-- One admitted message, and its claim. `arrival` is frozen at admission: admission, route,
-- target, fresh_until and the rest; the columns beside it are what queries and checks need.
CREATE TABLE turn (
  seq             INTEGER PRIMARY KEY,
  id              TEXT NOT NULL UNIQUE,
  channel         TEXT NOT NULL,
  account         TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  thread_id       TEXT,
  source          TEXT NOT NULL,
  event           TEXT NOT NULL,
  session_key     TEXT NOT NULL,
  rank            INTEGER NOT NULL CHECK (rank BETWEEN 0 AND 4),
  mode            TEXT NOT NULL CHECK (mode IN ('steer', 'followup', 'collect', 'interrupt')),
  lane            TEXT NOT NULL CHECK (lane IN ('people', 'background')),
  not_before      INTEGER,
  arrival         TEXT NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'absorbed', 'finished')),
  attempt         INTEGER NOT NULL DEFAULT 0 CHECK (attempt >= 0),
  crashes         INTEGER NOT NULL DEFAULT 0 CHECK (crashes BETWEEN 0 AND attempt),
  epoch           INTEGER NOT NULL DEFAULT 0,
  boot            INTEGER NOT NULL DEFAULT 0,  -- who has the lease; 0 is nobody
  cancel_asked    INTEGER NOT NULL DEFAULT 0 CHECK (cancel_asked IN (0, 1)),
  absorbed_by     TEXT REFERENCES turn (id),
  outcome         TEXT CHECK (outcome IN ('answered', 'silent', 'asked', 'interrupted', 'failed')),
  ending          TEXT,                        -- the whole outcome as JSON
  ended_at        INTEGER,
  CHECK ((state = 'finished') = (outcome IS NOT NULL)),
  CHECK ((state = 'finished') = (ending IS NOT NULL)),
  CHECK ((state = 'finished') = (ended_at IS NOT NULL)),
  CHECK ((state = 'absorbed') = (absorbed_by IS NOT NULL)),
  CHECK (boot = 0 OR state = 'running'),
  CHECK (attempt > 0 OR state <> 'running')
) STRICT;

CREATE UNIQUE INDEX turn_claim ON turn (channel, account, conversation_id, source);
CREATE UNIQUE INDEX turn_running ON turn (session_key) WHERE state = 'running';
CREATE INDEX turn_due ON turn (lane, seq) WHERE state = 'waiting';
CREATE INDEX turn_later ON turn (not_before) WHERE state = 'waiting' AND not_before IS NOT NULL;
CREATE INDEX turn_waiting ON turn (session_key, seq) WHERE state = 'waiting';
CREATE INDEX turn_absorbed ON turn (absorbed_by, seq) WHERE absorbed_by IS NOT NULL;
CREATE INDEX turn_line ON turn (channel, account, conversation_id, thread_id, seq);
CREATE INDEX turn_open ON turn (channel, account, conversation_id, thread_id, seq)
  WHERE state IN ('waiting', 'running');
CREATE INDEX turn_session ON turn (session_key, seq);
CREATE INDEX turn_state ON turn (state, seq);

CREATE TABLE attempt (
  turn_id    TEXT NOT NULL REFERENCES turn (id),
  number     INTEGER NOT NULL,
  worker     TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at   INTEGER,
  reason     TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (turn_id, number)
) STRICT, WITHOUT ROWID;

-- What a session remembers. Rows are only ever added.
CREATE TABLE entry (
  session_key TEXT NOT NULL,
  seq         INTEGER NOT NULL,
  turn_id     TEXT NOT NULL REFERENCES turn (id),
  attempt     INTEGER NOT NULL,
  at          INTEGER NOT NULL,
  body        TEXT NOT NULL,
  PRIMARY KEY (session_key, seq)
) STRICT;

CREATE TABLE session (
  key                 TEXT PRIMARY KEY,
  agent_id            TEXT NOT NULL,
  queue_mode          TEXT CHECK (queue_mode IN ('steer', 'followup', 'collect', 'interrupt')),
  started_at          INTEGER NOT NULL,
  last_interaction_at INTEGER NOT NULL,
  usage               TEXT NOT NULL,
  version             INTEGER NOT NULL CHECK (version > 0)
) STRICT, WITHOUT ROWID;

CREATE INDEX session_recent ON session (last_interaction_at);

-- One platform message on its way. `number` is the order in which it was queued.
CREATE TABLE delivery (
  number          INTEGER PRIMARY KEY,
  id              TEXT NOT NULL UNIQUE,  -- so that a second `finish` cannot double an answer
  turn_id         TEXT NOT NULL REFERENCES turn (id),
  session_key     TEXT NOT NULL,
  channel         TEXT NOT NULL,
  account         TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  thread_id       TEXT,
  target          TEXT NOT NULL,
  payload         TEXT NOT NULL,
  on_unknown      TEXT NOT NULL CHECK (on_unknown IN ('repeat', 'look_up', 'repeat_once', 'never')),
  state           TEXT NOT NULL CHECK (state IN
                    ('pending', 'sending', 'unknown', 'sent', 'rejected', 'unresolved', 'cancelled')),
  attempt         INTEGER NOT NULL DEFAULT 0 CHECK (attempt >= 0),
  repeats         INTEGER NOT NULL DEFAULT 0 CHECK (repeats >= 0),
  boot            INTEGER NOT NULL DEFAULT 0,  -- who has the lease; 0 is nobody
  not_before      INTEGER,
  expires_at      INTEGER,
  replaces        TEXT,
  started_at      INTEGER,
  seq             INTEGER UNIQUE,
  receipt         TEXT,
  reason          TEXT NOT NULL DEFAULT '',
  CHECK (repeats = 0 OR on_unknown <> 'never'),
  CHECK (repeats <= 1 OR on_unknown <> 'repeat_once'),
  CHECK ((state = 'sent') = (seq IS NOT NULL)),
  CHECK ((state = 'sent') = (receipt IS NOT NULL)),
  CHECK (boot = 0 OR state IN ('sending', 'unknown')),
  CHECK (state <> 'sending' OR started_at IS NOT NULL)
) STRICT;

CREATE INDEX delivery_open ON delivery (channel, account, number)
  WHERE state IN ('pending', 'sending', 'unknown');
CREATE INDEX delivery_order ON delivery (channel, account, conversation_id, thread_id, number)
  WHERE state IN ('pending', 'sending', 'unknown');
CREATE INDEX delivery_line ON delivery (channel, account, conversation_id, thread_id, seq)
  WHERE seq IS NOT NULL;
CREATE INDEX delivery_turn ON delivery (turn_id, number);
CREATE INDEX delivery_state ON delivery (state, number);

CREATE TABLE record (
  key     TEXT PRIMARY KEY,
  value   BLOB NOT NULL,
  version INTEGER NOT NULL CHECK (version > 0)
) STRICT, WITHOUT ROWID;

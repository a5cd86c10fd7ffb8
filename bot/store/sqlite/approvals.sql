-- Calls that wait for a person's decision, and what was allowed for good.

-- `decided_in` is the turn that a decision opened: it alone may carry the call out, once.
CREATE TABLE approval (
  number       INTEGER PRIMARY KEY,
  code         TEXT NOT NULL UNIQUE,
  state        TEXT NOT NULL DEFAULT 'asked' CHECK (state IN
                 ('asked', 'approved', 'carried_out', 'refused', 'expired', 'withdrawn')),
  turn_id      TEXT NOT NULL,
  session_key  TEXT NOT NULL,
  plan         TEXT NOT NULL,
  question     TEXT NOT NULL,
  expires_at   INTEGER NOT NULL,
  decision     TEXT CHECK (decision IN ('once', 'always', 'no')),
  decided_by   TEXT NOT NULL DEFAULT '',
  decided_name TEXT NOT NULL DEFAULT '',
  decided_at   INTEGER,
  decided_in   TEXT UNIQUE,
  CHECK ((decision IS NULL) = (decided_in IS NULL)),
  CHECK ((decision IS NULL) = (decided_at IS NULL)),
  CHECK (state <> 'refused' OR decision = 'no'),
  CHECK (state NOT IN ('approved', 'carried_out') OR decision IN ('once', 'always')),
  CHECK (state NOT IN ('asked', 'expired') OR decision IS NULL)
) STRICT;

CREATE INDEX approval_open ON approval (expires_at) WHERE state = 'asked';
CREATE INDEX approval_session ON approval (session_key) WHERE state = 'asked';
CREATE INDEX approval_turn ON approval (turn_id);
CREATE INDEX approval_plan ON approval (plan);

-- `MOVES` in bot/contracts/approval.py.
CREATE TRIGGER approval_move BEFORE UPDATE OF state ON approval
WHEN NOT (
  (OLD.state = 'asked' AND NEW.state IN ('approved', 'refused', 'expired', 'withdrawn'))
  OR (OLD.state = 'approved' AND NEW.state IN ('carried_out', 'withdrawn'))
)
BEGIN
  SELECT RAISE(ABORT, 'a question cannot go there from where it stands');
END;

-- However the turn of a decision ends: what it had not begun by then is never carried out.
CREATE TRIGGER approval_over AFTER UPDATE OF state ON turn WHEN NEW.state = 'finished'
BEGIN
  UPDATE approval SET state = 'withdrawn' WHERE decided_in = NEW.id AND state = 'approved';
END;

-- The words of a call go with the words of its turn.
CREATE TRIGGER approval_forgotten AFTER UPDATE OF forgotten ON turn WHEN NEW.forgotten = 1
BEGIN
  DELETE FROM approval WHERE turn_id = NEW.id;
END;

CREATE TABLE approval_rule (
  number   INTEGER PRIMARY KEY AUTOINCREMENT,  -- a number that was revoked is nobody else's later
  agent_id TEXT NOT NULL,
  tool     TEXT NOT NULL,
  identity TEXT NOT NULL,
  made_by  TEXT NOT NULL,
  made_at  INTEGER NOT NULL,
  UNIQUE (agent_id, tool, identity)
) STRICT;

-- Bursts, sessions that are ready, and what is told with the next message.

-- The first of several messages that one sender said in one breath; NULL if it never waited for more.
ALTER TABLE turn ADD COLUMN burst TEXT;
ALTER TABLE turn ADD COLUMN burst_ends INTEGER;  -- until when it waits for more at most

-- Overheard, or an edit that came too late: 1 until a turn of the conversation is told of it.
ALTER TABLE turn ADD COLUMN untold INTEGER NOT NULL DEFAULT 0 CHECK (untold IN (0, 1));

-- Overheard, and its words are kept: until they are too old.
ALTER TABLE turn ADD COLUMN kept INTEGER NOT NULL DEFAULT 0 CHECK (kept IN (0, 1));

-- The turn that an edit is about, which ran when it came.
ALTER TABLE turn ADD COLUMN corrects TEXT;

CREATE INDEX turn_untold ON turn (channel, account, conversation_id, thread_id, seq) WHERE untold = 1;
CREATE INDEX turn_corrects ON turn (corrects, seq) WHERE untold = 1 AND corrects IS NOT NULL;

CREATE INDEX turn_kept ON turn (seq) WHERE kept = 1;

-- A session in which something waits and nothing runs; `place` is the order in which it became so.
-- It may say so of one where nothing waits any more or something runs again; never the other way.
CREATE TABLE ready (
  session_key TEXT NOT NULL,
  lane        TEXT NOT NULL CHECK (lane IN ('people', 'background')),
  place       INTEGER NOT NULL,
  PRIMARY KEY (session_key, lane)
) STRICT, WITHOUT ROWID;

CREATE INDEX ready_place ON ready (lane, place);

INSERT INTO ready (session_key, lane, place)
  SELECT session_key, lane, MIN(seq) FROM turn WHERE state = 'waiting' GROUP BY session_key, lane;

DROP INDEX turn_due;
CREATE INDEX turn_lane ON turn (session_key, lane, seq) WHERE state = 'waiting';
CREATE INDEX turn_burst ON turn (session_key, not_before) WHERE state = 'waiting' AND burst IS NOT NULL;

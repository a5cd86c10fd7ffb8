-- Schema 4: what was spent, added up in the commits that record the answers.

-- One row for what one person's turns used of one model, in one session, on one day of the
-- operator's. It stays when the conversation is deleted.
CREATE TABLE spending (
  day             TEXT NOT NULL CHECK (day GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
  person          TEXT NOT NULL,  -- channel and sender id
  rank            INTEGER NOT NULL CHECK (rank BETWEEN 0 AND 4),
  agent_id        TEXT NOT NULL,
  session_key     TEXT NOT NULL,
  model           TEXT NOT NULL,
  lane            TEXT NOT NULL CHECK (lane IN ('people', 'background')),
  turns           INTEGER NOT NULL DEFAULT 0,
  last_turn       TEXT NOT NULL DEFAULT '',  -- counted already
  model_calls     INTEGER NOT NULL DEFAULT 0,
  input_tokens    INTEGER NOT NULL DEFAULT 0,
  output_tokens   INTEGER NOT NULL DEFAULT 0,
  cached_tokens   INTEGER NOT NULL DEFAULT 0,
  kept_tokens     INTEGER NOT NULL DEFAULT 0,
  micro_usd       INTEGER NOT NULL DEFAULT 0,
  unpriced_tokens INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (day, person, rank, agent_id, session_key, model, lane)
) STRICT, WITHOUT ROWID;

-- What was recorded before this table was: its tokens are known, its price was not noted.
INSERT INTO spending (day, person, rank, agent_id, session_key, model, lane, turns, last_turn,
  model_calls, input_tokens, output_tokens, cached_tokens)
  SELECT date(entry.at / 1000000, 'unixepoch', 'localtime') AS day,
    turn.channel || ':' || COALESCE(json_extract(turn.arrival, '$.inbound.sender.id'), ''),
    turn.rank,
    COALESCE(json_extract(turn.arrival, '$.route.agent_id'), 'main'),
    entry.session_key,
    COALESCE(json_extract(entry.body, '$.model'), ''),
    turn.lane,
    COUNT(DISTINCT entry.turn_id),
    MAX(entry.turn_id),
    COUNT(*),
    SUM(COALESCE(json_extract(entry.body, '$.usage.input_tokens'), 0)),
    SUM(COALESCE(json_extract(entry.body, '$.usage.output_tokens'), 0)),
    SUM(COALESCE(json_extract(entry.body, '$.usage.cached_tokens'), 0))
  FROM entry JOIN turn ON turn.id = entry.turn_id
  WHERE json_extract(entry.body, '$.kind') = 'assistant'
  GROUP BY 1, 2, 3, 4, 5, 6, 7;

-- What the owner allowed beyond a limit: on that day, or to the turn in `name`. Written with the
-- claim of the command that says so, and so once, however often it comes.
CREATE TABLE allowance (
  turn_id TEXT NOT NULL REFERENCES turn (id),
  number  INTEGER NOT NULL,
  day     TEXT NOT NULL,
  scope   TEXT NOT NULL,
  unit    TEXT NOT NULL CHECK (unit IN ('money', 'tokens')),
  name    TEXT NOT NULL,
  amount  INTEGER NOT NULL CHECK (amount > 0),
  PRIMARY KEY (turn_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX allowance_day ON allowance (day);

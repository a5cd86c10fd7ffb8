-- Schema 2: conversations as a list shows them, and turns whose words were forgotten.

-- One row for each conversation in which a line was heard.
CREATE TABLE conversation (
  first_seq       INTEGER PRIMARY KEY,  -- the line it began with, which is its title until it has one
  last_seq        INTEGER NOT NULL,     -- the line that was heard last: the order of the list
  channel         TEXT NOT NULL,
  account         TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  thread_id       TEXT,
  title           TEXT CHECK (title <> ''),
  CHECK (first_seq <= last_seq)
) STRICT;

CREATE UNIQUE INDEX conversation_key
  ON conversation (channel, account, conversation_id, COALESCE(thread_id, ''));
CREATE INDEX conversation_latest ON conversation (channel, account, conversation_id, last_seq);

INSERT INTO conversation (first_seq, last_seq, channel, account, conversation_id, thread_id)
  SELECT MIN(seq), MAX(seq), channel, account, conversation_id, thread_id FROM turn
  WHERE event IN ('message', 'command')
  GROUP BY channel, account, conversation_id, thread_id;

-- The row stays, as the claim of its source; it is no line any more.
ALTER TABLE turn ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0 CHECK (forgotten IN (0, 1));

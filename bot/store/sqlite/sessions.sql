-- Schema 3: what is chosen for a session, and its chapters.

ALTER TABLE session ADD COLUMN choices TEXT NOT NULL DEFAULT '{}';
ALTER TABLE session ADD COLUMN chapter INTEGER NOT NULL DEFAULT 0 CHECK (chapter >= 0);
ALTER TABLE session ADD COLUMN chapters INTEGER NOT NULL DEFAULT 1 CHECK (chapters >= 1);

UPDATE session SET choices = json_object('queue_mode', queue_mode) WHERE queue_mode IS NOT NULL;
ALTER TABLE session DROP COLUMN queue_mode;

-- The chapter a turn began in, which is where it writes. Entries of chapter 0 stand under the
-- session's key, those of a later one under `<key>#<chapter>`.
ALTER TABLE turn ADD COLUMN chapter INTEGER NOT NULL DEFAULT 0 CHECK (chapter >= 0);

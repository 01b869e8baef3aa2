-- What counts as loaded: the ecosystems of which a source's archive was read to its end (`npm`, `Debian`), as the source names
-- them. Single records tell nothing of what they do not name.
create table complete_ecosystems (
  source text collate "C" not null,
  ecosystem text collate "C" not null,
  completed_at timestamptz(3) not null,
  primary key (source, ecosystem)
);

-- What the knowledge lacked about a package at its last match, as a code (sboms/components/not-matched-store.ts); null: it is judged.
alter table packages add column gap text;

-- What the knowledge has of a package, as of its last match.
alter table packages
  -- Whether any record has one of its names; null: not matched since this is kept.
  add column is_named boolean,
  -- The registry or distribution whose records would name it: `purl:npm/`, `purl:deb/debian/`.
  add column registry text collate "C";

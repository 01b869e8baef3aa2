-- By which published text an advisory was written: an import does not read the same text again. One byte is the version of
-- the parsers, the rest a hash. Null where the text is unknown: in a bundle, or as no archive holds the advisory any more.
alter table advisories add column text_hash bytea;
alter table advisories alter column text_hash set statistics 0;

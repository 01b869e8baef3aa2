-- A row counts the mails of one hour: to an address, to an address from a workspace, or of the installation. The key is the hash
-- of what is counted. `most`: how many may be sent; null: any number.
create table mail_counts (
  key bytea not null,
  began_at timestamptz(3) not null,
  bound text collate "C" not null check (bound in ('WorkspaceAddress', 'Address', 'Installation')),
  used integer not null,
  most integer,
  primary key (key, began_at)
);

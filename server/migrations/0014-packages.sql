-- A row is the upstream software in one version that components stand for: a canonical set of (key, version), whose hash is the id. It
-- is global, matched once, and never deleted.
create table packages (
  id uuid primary key,
  identity jsonb not null,
  -- `Debian:11`; without release where nothing states it. Nobody publishes records of OpenWrt and Arch Linux in these formats.
  distribution text collate "C" generated always as (
    case when identity #>> '{distro,ecosystem}' not in ('OpenWrt', 'Arch Linux')
      then (identity #>> '{distro,ecosystem}') || coalesce(':' || (identity #>> '{distro,release}'), '') end
  ) stored,
  -- Whether any of its names is a CPE: coverage asks it of every package of a firmware version.
  has_cpe boolean not null generated always as (identity @? '$.pairs[*].key ? (@ starts with "cpe:")') stored,
  created_at timestamptz(3) not null,

  -- As of its last match; null: it was not matched yet.
  matched_at timestamptz(3),
  matched_revision bigint,
  match_rules_version integer,
  -- How many advisories gave no verdict, by reason.
  undecided jsonb not null default '{}',
  -- What its names without vendor meant: it is matched whole when they mean other products.
  resolved jsonb not null default '[]',
  -- Whether any record has one of its names.
  is_named boolean,
  -- The registry or distribution whose records would name it: `purl:npm/`, `purl:deb/debian/`.
  registry text collate "C",
  -- What the knowledge lacked about it, as a code (sboms/components/not-matched-store.ts); null: it is judged.
  gap text
);
create index packages_unmatched on packages (id) where matched_at is null;
create index packages_match_rules on packages (match_rules_version, id);
create index packages_of_distribution on packages (distribution) where distribution is not null;
-- Packages whose project's addresses decide what their names mean.
create index packages_of_address on packages using gin ((identity -> 'addresses')) where identity ? 'addresses';

-- A row is a key by which an advisory may name the package; for a package of any vendor also its cpe:*:product. It is written with its
-- package in one statement and never apart, so that no foreign key has to be checked for each row.
create table package_keys (
  key text collate "C" not null,
  package_id uuid not null,
  primary key (key, package_id)
);
-- A search for a name looks at the keys of the packages that the workspace has. Without this it reads those of all workspaces.
create index package_keys_package on package_keys (package_id);

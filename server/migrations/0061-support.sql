-- When the release cycles of products end: the source endoflife (decision 77).
alter table vulnerability_sources drop constraint vulnerability_sources_source_check;
alter table vulnerability_sources add constraint vulnerability_sources_source_check
  check (source in ('cvelist', 'nvd', 'osv', 'csaf', 'kev', 'epss', 'euvd', 'endoflife'));

-- A row is a product as the source last listed it.
create table support_products (
  name text collate "C" primary key,
  label text not null,
  link text,
  -- SupportIdentifier of formats/support.
  identifiers jsonb not null,
  -- SupportCycle of formats/support, in the order of the source: support_cycles is made of it.
  cycles jsonb not null,
  first_seen_at timestamptz(3) not null,
  changed_at timestamptz(3) not null,
  -- Since when a whole file of the source lists it no more; what it said stays.
  gone_at timestamptz(3)
);

-- A row is a release cycle of a product.
create table support_cycles (
  product text collate "C" not null,
  cycle text collate "C" not null,
  codename text,
  released_on date,
  is_lts boolean not null,
  -- The first day without fixes for everybody; null: no day is known.
  ends_on date,
  -- Where no day is known: whether the end has come; null: that is not known either.
  has_ended boolean,
  active_ends_on date,
  extended_ends_on date,
  latest text,
  link text,
  -- Why the end is not known though something is said about it.
  fault text,
  primary key (product, cycle)
);

-- A row is a name by which packages are of the product: a key of package_keys, or `distribution:Debian`.
create table support_product_keys (
  key text collate "C" not null,
  product text collate "C" not null,
  primary key (key, product)
);
create index support_product_keys_product on support_product_keys (product);

-- A row says of which names and cycles of a product the packages were derived from last.
create table support_product_states (
  product text collate "C" primary key,
  fingerprint text collate "C" not null
);

-- A row says to which product and release cycle a package belongs. It depends on the package and the product alone, and on no day.
create table package_support (
  package_id uuid primary key,
  product text collate "C" not null,
  -- null: the product is known, and no cycle of it is of this version.
  cycle text collate "C",
  -- By which name and version it was found.
  key text collate "C" not null,
  version text not null
);
create index package_support_product on package_support (product, cycle);

-- Distributions without advisories, which `packages.distribution` leaves out (OpenWrt, Arch Linux).
create index packages_of_other_distribution on packages ((identity #>> '{distro,ecosystem}'))
  where distribution is null and identity ? 'distro';

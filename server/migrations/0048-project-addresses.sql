-- Where the project of a component is at home: its repository and homepage, as the document declares them.
alter table sbom_components add column addresses text[] not null default '{}';

-- Packages whose project's addresses decide what their names mean. Records that refer to an address are rows of `advisory_affected`
-- whose key begins with `reference:` and that state nothing.
create index packages_of_address on packages using gin ((identity -> 'addresses')) where identity ? 'addresses';

-- A search for a name looks at the keys of the packages that the workspace has. Without this it reads those of all workspaces.
create index package_keys_package on package_keys (package_id);

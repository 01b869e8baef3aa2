-- The distribution of a package in words (`Debian 11`), where no record of it was stored at the package's last match.
alter table packages add column unknown_distribution text;

#pragma D option quiet

/* How many files processes open, and how often they read. */
kernel::FileIo:Create
{
  @opens[execname] = count();
}

kernel::FileIo:Read
{
  @reads[execname] = count();
}

END
{
  printa("%-20s %@6d opened %@6d read\n", @opens, @reads);
}

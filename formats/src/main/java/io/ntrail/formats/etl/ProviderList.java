package io.ntrail.formats.etl;

import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.identity.NameTable;
import org.jspecify.annotations.Nullable;

/**
 * Names of well-known providers, for recordings that do not tell the names of theirs: a resource
 * beside this class, read at the first question. May be used by several threads.
 */
public final class ProviderList {
  private final NameTable<String> names =
      new NameTable<>(ProviderList.class, "providers.tsv", guid -> guid, String::compareTo);

  /** Creates a list that is read on first use. */
  public ProviderList() {}

  /**
   * The name of a provider, or of the logger that writes events of a class.
   *
   * @return {@code Microsoft-Windows-WinRM}; null if the list does not have it
   */
  public @Nullable String name(Guid provider) {
    return names.name(provider.toString());
  }
}

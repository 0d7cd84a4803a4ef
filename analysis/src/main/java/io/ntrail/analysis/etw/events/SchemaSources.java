package io.ntrail.analysis.etw.events;

import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.ProviderList;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.schema.SchemaTable;
import io.ntrail.formats.schema.StatusCodes;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Descriptions of events that are there before a recording is read: the built-in tables and the
 * user's files. Read once, then shared by all threads.
 */
public final class SchemaSources {
  private final KernelEvents kernel = new KernelEvents();
  private final SchemaTable kernelTable = SchemaTable.kernel();
  private volatile @Nullable SchemaTable clrTable;
  private final StatusCodes statusCodes = new StatusCodes();
  private final ProviderList providers = new ProviderList();
  private final UserSchemas user;

  /** The .NET runtime's providers: runtime, rundown, private, stress. */
  private static final Set<Guid> CLR =
      Set.of(
          Guid.parse("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4"),
          Guid.parse("a669021c-c450-4609-a035-5af59af4df18"),
          Guid.parse("763fd754-7086-4dfe-95eb-c01a46faf4ca"),
          Guid.parse("cc2bcbba-16b6-4cf3-8990-d74c2e8af500"));

  /** Reads the built-in tables. */
  public SchemaSources(UserSchemas user) {
    this.user = user;
  }

  /** The kernel's groups and classes. */
  public KernelEvents kernel() {
    return kernel;
  }

  /** The kernel's events. */
  public SchemaTable kernelTable() {
    return kernelTable;
  }

  /** The events of a provider of the .NET runtime, read when first requested; null for others. */
  @Nullable SchemaTable clrTable(Guid provider) {
    if (!CLR.contains(provider)) {
      return null;
    }
    SchemaTable table = clrTable;
    if (table == null) {
      table = SchemaTable.clr();
      clrTable = table;
    }
    return table;
  }

  /** Names of codes. */
  public StatusCodes statusCodes() {
    return statusCodes;
  }

  /** An index that knows nothing of a recording yet. */
  public SchemaIndex index() {
    return new SchemaIndex(kernel, kernelTable, this::clrTable, user, providers);
  }
}

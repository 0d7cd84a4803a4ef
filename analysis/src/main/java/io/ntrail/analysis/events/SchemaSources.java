package io.ntrail.analysis.events;

import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.schema.SchemaTable;
import io.ntrail.formats.schema.StatusCodes;

/**
 * What is known about events before a recording is read: the built-in tables and the user's files.
 * Read once, then shared by all threads.
 */
public final class SchemaSources {
  private final KernelEvents kernel = new KernelEvents();
  private final SchemaTable kernelTable = SchemaTable.kernel();
  private final SchemaTable clrTable = SchemaTable.clr();
  private final StatusCodes statusCodes = new StatusCodes();
  private final UserSchemas user;

  /** Reads the built-in tables. */
  public SchemaSources(UserSchemas user) {
    this.user = user;
  }

  /** The kernel's groups and classes. */
  KernelEvents kernel() {
    return kernel;
  }

  /** The kernel's events. */
  SchemaTable kernelTable() {
    return kernelTable;
  }

  /** Names of codes. */
  StatusCodes statusCodes() {
    return statusCodes;
  }

  /** An index that knows nothing of a recording yet. */
  SchemaIndex index() {
    return new SchemaIndex(kernel, kernelTable, clrTable, user);
  }
}

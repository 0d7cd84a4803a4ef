package io.ntrail.analysis.recording;

import io.ntrail.analysis.events.SchemaSources;
import io.ntrail.analysis.events.UserSchemas;

/** The built-in tables, read once for all tests. */
final class Sources {
  static final SchemaSources SHARED = new SchemaSources(UserSchemas.NONE);

  private Sources() {}
}

package io.ntrail.analysis.etw.recording;

import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;

/** The built-in tables, read once for all tests. */
final class Sources {
  static final SchemaSources SHARED = new SchemaSources(UserSchemas.NONE);

  private Sources() {}
}

package io.ntrail.analysis.events;

import io.ntrail.formats.etl.RecordKind;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.schema.Schema;
import org.jspecify.annotations.Nullable;

/** Schemas from files that the user gave: instrumentation manifests and TMF. Immutable. */
public final class UserSchemas {
  /** No files were given. */
  public static final UserSchemas NONE = new UserSchemas();

  private UserSchemas() {}

  @Nullable Schema schema(Guid guid, int id, int opcode, int version, RecordKind kind) {
    return null;
  }

  @Nullable String provider(Guid guid) {
    return null;
  }
}

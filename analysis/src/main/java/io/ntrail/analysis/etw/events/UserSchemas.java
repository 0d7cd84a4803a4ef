package io.ntrail.analysis.etw.events;

import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.schema.Manifest;
import io.ntrail.formats.schema.Schema;
import io.ntrail.formats.schema.Tmf;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Schemas from files that the user gave: instrumentation manifests and TMF. Where several describe
 * the same event, the first one counts. Immutable.
 */
public final class UserSchemas {
  /** No files were given. */
  public static final UserSchemas NONE = new UserSchemas(List.of(), List.of());

  private record ClassKey(Guid classGuid, int opcode, int version) {}

  private final Map<Guid, Manifest.Provider> providers = new HashMap<>();
  private final Map<ClassKey, Schema> classes = new HashMap<>();
  private final List<Tmf> formats;

  /** Schemas of these files. */
  public UserSchemas(List<Manifest> manifests, List<Tmf> formats) {
    this.formats = List.copyOf(formats);
    for (Manifest manifest : manifests) {
      for (Manifest.Provider provider : manifest.providers()) {
        providers.putIfAbsent(provider.guid(), provider);
        if (provider.isClassic()) {
          for (Manifest.Event event : provider.events()) {
            classes.putIfAbsent(
                new ClassKey(event.eventGuid(), event.opcode(), event.version()), event.schema());
          }
        }
      }
    }
  }

  /** An event of a provider; null if no manifest describes it. */
  @Nullable Schema event(Guid provider, int id, int version) {
    Manifest.Provider described = providers.get(provider);
    Manifest.Event event = described == null ? null : described.event(id, version);
    return event == null ? null : event.schema();
  }

  /** An event of a class; null if no manifest describes it. */
  @Nullable Schema classic(Guid classGuid, int opcode, int version) {
    return classes.get(new ClassKey(classGuid, opcode, version));
  }

  /** A message of software tracing; null if no TMF describes it. */
  Tmf.@Nullable Message message(Guid guid, int number) {
    for (Tmf format : formats) {
      Tmf.Message message = format.message(guid, number);
      if (message != null) {
        return message;
      }
    }
    return null;
  }

  /** The name of a provider; null if no manifest has it. */
  @Nullable String provider(Guid guid) {
    Manifest.Provider described = providers.get(guid);
    return described == null || described.name().isEmpty() ? null : described.name();
  }
}

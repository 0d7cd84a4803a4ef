package io.ntrail.analysis.etw.events;

import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.schema.Manifest;
import io.ntrail.formats.schema.Schema;
import io.ntrail.formats.schema.Tmf;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
  private final Map<ClassKey, Described> classes = new HashMap<>();
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
                new ClassKey(event.eventGuid(), event.opcode(), event.version()),
                new Described(provider, event));
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
    Described described = classes.get(new ClassKey(classGuid, opcode, version));
    return described == null ? null : described.event.schema();
  }

  /**
   * Description of an event by a manifest.
   *
   * @param provider that has the event
   * @param event of it
   */
  public record Described(Manifest.Provider provider, Manifest.Event event) {}

  /**
   * Returns the description of the events of a type.
   *
   * @param type of an event
   * @param isClassic true if its records name a class, not a provider
   * @return empty if no manifest describes it
   */
  public Optional<Described> described(EventType type, boolean isClassic) {
    if (isClassic) {
      return Optional.ofNullable(
          classes.get(new ClassKey(type.guid(), type.opcode(), type.version())));
    }
    Manifest.Provider provider = providers.get(type.guid());
    Manifest.Event event = provider == null ? null : provider.event(type.id(), type.version());
    return provider == null || event == null
        ? Optional.empty()
        : Optional.of(new Described(provider, event));
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

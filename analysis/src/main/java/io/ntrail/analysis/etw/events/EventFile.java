package io.ntrail.analysis.etw.events;

import io.ntrail.formats.schema.Field;
import io.ntrail.formats.schema.OutType;
import io.ntrail.formats.schema.Payload;
import io.ntrail.formats.schema.ValueKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The file that an event is about. */
final class EventFile {
  /** Names of fields in which events that others described have the path of their file. */
  private static final List<String> NAMES = List.of("FileName", "FilePath", "FullPath");

  private EventFile() {}

  /**
   * Returns the path of the file that an event names or has the key of; of a key without a name the
   * key in hexadecimal. Null if the event is about no file.
   */
  static @Nullable String of(EventReader event) {
    Payload payload = event.payload();
    String named = null;
    String key = null;
    for (int i = 0; i < payload.size(); i = payload.after(i)) {
      if (payload.token(i) != Payload.Token.VALUE) {
        continue;
      }
      Field field = payload.field(i);
      if (field.out() == OutType.PATH) {
        return event.text(i);
      }
      if (field.out() == OutType.FILE_KEY) {
        String name = event.meaning(i);
        if (name != null) {
          return name;
        }
        key = payload.text(i);
      } else if (named == null
          && field.kind() == ValueKind.TEXT
          && NAMES.stream().anyMatch(field.name()::equalsIgnoreCase)) {
        named = event.text(i);
      }
    }
    return key == null ? named : "(key " + key + ")";
  }
}

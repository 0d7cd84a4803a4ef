package io.ntrail.analysis.merge.names;

import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.merge.RecordingMerge;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.RecordCursor;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Recordings before and after their names were replaced, and a plain search through their bytes.
 */
final class WrittenNames {
  private WrittenNames() {}

  /** A recording with other names. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Anonymous(byte[] bytes, PrivateNames names, int sids) {}

  /** Replaces the names of a recording, with a key of which every byte is the same. */
  static Anonymous anonymous(
      byte[] bytes, String fileName, int key, boolean isCompressed, Path folder)
      throws IOException {
    try (EtwRecording recording = EtwRecording.of(List.of(InputFile.of(bytes, fileName)))) {
      Events events = Events.of(recording, new SchemaSources(UserSchemas.NONE), 1);
      PrivateNames names = PrivateNames.of(events, List.of());
      byte[] secret = new byte[32];
      Arrays.fill(secret, (byte) key);
      NameReplacement replacement = new NameReplacement(names, secret);
      Path to = folder.resolve("anonymous.etl");
      Files.deleteIfExists(to);
      try (SeekableByteChannel channel =
          Files.newByteChannel(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        RecordingMerge.write(recording, channel, isCompressed, List.of(), replacement);
      }
      return new Anonymous(Files.readAllBytes(to), names, replacement.sids());
    }
  }

  /** Returns the bytes of a recording's records, items and events that describe events. */
  static byte[] descriptions(byte[] bytes) {
    BytesBuilder out = new BytesBuilder(1 << 16);
    try (EtwRecording recording = EtwRecording.of(List.of(InputFile.of(bytes, "anonymous.etl")));
        RecordCursor record = recording.cursor(recording.files().getFirst())) {
      for (int buffer = 0; buffer < recording.files().getFirst().buffers().count(); buffer++) {
        record.open(buffer);
        while (record.next()) {
          boolean isManifest = record.kind().isEvent() && record.id() == 0xFFFE;
          boolean isInfo =
              record.kind().isClassic()
                  && record.provider().toString().equals("bbccf6c1-6cd1-48c4-80ff-839482e37671");
          if (isManifest || isInfo) {
            part(out, record, record.payloadOffset(), record.payloadLength());
          }
          for (int item = record.firstItem(); item != 0; item = record.nextItem(item)) {
            if (record.itemType(item) == 11 || record.itemType(item) == 12) {
              part(out, record, record.itemData(item), record.itemLength(item));
            }
          }
        }
      }
    }
    return out.toArray();
  }

  private static void part(BytesBuilder out, RecordCursor record, int at, int length) {
    out.bytes(record.bytes().array(at, length)).zeros(4 - out.size() % 2);
  }

  /** Returns true if some bytes hold a text, in any case and encoding, at any byte. */
  static boolean holds(byte[] bytes, String text) {
    String wanted = text.toLowerCase(Locale.ROOT);
    String latin = new String(bytes, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
    String utf8 = new String(bytes, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT);
    return latin.contains(wanted)
        || utf8.contains(wanted)
        || wide(bytes, 0, true).contains(wanted)
        || wide(bytes, 1, true).contains(wanted)
        || wide(bytes, 0, false).contains(wanted)
        || wide(bytes, 1, false).contains(wanted);
  }

  /** Returns bytes as UTF-16 units, in lower case. */
  static String wide(byte[] bytes, int from, boolean isLittle) {
    char[] units = new char[(bytes.length - from) / 2];
    for (int i = 0; i < units.length; i++) {
      int low = bytes[from + 2 * i + (isLittle ? 0 : 1)] & 0xFF;
      int high = bytes[from + 2 * i + (isLittle ? 1 : 0)] & 0xFF;
      units[i] = Character.toLowerCase((char) (low | high << 8));
    }
    return new String(units);
  }
}

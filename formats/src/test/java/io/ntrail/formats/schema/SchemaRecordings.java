package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.ExtendedItem;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The real recordings, record by record. */
final class SchemaRecordings {
  private SchemaRecordings() {}

  /** Names of all recordings, without {@code .etl.gz}. */
  static List<String> all() {
    assumeTrue(TestData.available(), TestData.MISSING);
    try (Stream<Path> files = Files.list(TestData.folder().orElseThrow().resolve("etl"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".etl.gz"))
          .map(name -> name.substring(0, name.length() - ".etl.gz".length()))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Shows every record, in the order of the file. */
  static void walk(String name, Consumer<RecordCursor> visitor) {
    assumeTrue(TestData.available(), TestData.MISSING);
    try {
      byte[] content = TestData.gunzip("etl/" + name + ".etl.gz");
      Gaps gaps = new Gaps();
      try (EtlFile file = EtlFile.open(InputFile.of(content, name), gaps);
          RecordCursor cursor = file.cursor(gaps)) {
        for (int buffer = 0; buffer < file.buffers().count(); buffer++) {
          cursor.open(buffer);
          while (cursor.next()) {
            visitor.accept(cursor);
          }
        }
      }
      assertEquals(List.of(), gaps.list(), name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The extended item of a kind, for {@link RecordCursor#itemData}; 0 if there is none. */
  static int item(RecordCursor record, ExtendedItem kind) {
    for (int item = record.firstItem(); item != 0; item = record.nextItem(item)) {
      if (record.itemType(item) == kind.number()) {
        return item;
      }
    }
    return 0;
  }

  /** Takes the record's payload apart. */
  static Payload read(Schema schema, RecordCursor record) {
    Payload payload = new Payload();
    payload.read(
        schema,
        record.bytes(),
        record.payloadOffset(),
        record.payloadLength(),
        record.pointerBytes());
    return payload;
  }
}

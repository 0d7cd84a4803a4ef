package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordKind;
import io.ntrail.testkit.TestData;
import java.io.IOException;

/** Walks every record of a shared recording, buffer by buffer. */
final class SharedRecords {
  interface Visitor {
    void visit(EtlFile file, RecordCursor record);
  }

  private SharedRecords() {}

  static boolean present() {
    return TestData.available();
  }

  static void walk(String recording, Visitor visitor) throws IOException {
    Gaps gaps = new Gaps();
    try (EtlFile file =
            EtlFile.open(
                InputFile.of(TestData.gunzip("etl/" + recording + ".etl.gz"), recording), gaps);
        RecordCursor record = file.cursor(gaps)) {
      for (int buffer = 0; buffer < file.buffers().count(); buffer++) {
        record.open(buffer);
        while (record.next()) {
          visitor.visit(file, record);
        }
      }
    }
    assertTrue(gaps.isEmpty(), () -> recording + " was not read whole: " + gaps.list());
  }

  /**
   * Returns true if the record has an event descriptor, so that provider, id and version give its
   * kind.
   */
  static boolean hasDescriptor(RecordCursor record) {
    return record.kind() == RecordKind.EVENT32 || record.kind() == RecordKind.EVENT64;
  }
}

package io.ntrail.formats.pdb;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pdb.codeview.TypeNames;
import io.ntrail.formats.pdb.codeview.TypeTable;
import io.ntrail.formats.pdb.msf.MsfFile;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.pdb.MsfWriter;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of types whose records are written by hand. */
class TypeNamesTest {
  private static final int FIRST = 0x1000;

  /** The types with these records, numbered from 1000h. */
  private static TypeNames types(LittleEndian... records) {
    LittleEndian all = new LittleEndian();
    for (LittleEndian record : records) {
      // Records start on multiples of 4; what is before the next one counts.
      record.zeros((6 - record.size() % 4) % 4);
      all.u16(record.size()).bytes(record.toByteArray());
    }
    LittleEndian stream = new LittleEndian().u32(20_040_203).u32(56).u32(FIRST);
    stream.u32(FIRST + records.length).u32(all.size()).u16(0xFFFF).u16(0xFFFF).u32(4).u32(0x3FFFF);
    stream.zeros(24).bytes(all.toByteArray());
    byte[] file =
        new MsfWriter(512)
            .stream(new byte[0]).stream(new byte[0]).stream(stream.toByteArray()).write();
    MsfFile msf = MsfFile.open(InputFile.of(file, "types.pdb"));
    TypeTable table = TypeTable.read(msf.stream(2).orElseThrow(), Optional.empty());
    return new TypeNames(table, table);
  }

  private static LittleEndian record(int kind) {
    return new LittleEndian().u16(kind);
  }

  @ParameterizedTest
  @ValueSource(ints = {0x1608, 0x1609, 0x160B})
  void classesWithLongPropertiesHaveTheirName(int kind) {
    // Properties, fields, derived, vtable shape; 3 members, 24 bytes.
    LittleEndian record = record(kind).u32(0x200).u32(0).u32(0).u32(0).u16(3).u16(24);
    assertEquals("Stock", types(record.utf8z("Stock").utf8z(".?AUStock@@")).type(FIRST));
  }

  @Test
  void theSizeOfSuchAClassMayTakeMoreThanTwoBytes() {
    // LF_ULONG: 70,000 bytes; and an array of four of them.
    LittleEndian record = record(0x1609).u32(0).u32(0).u32(0).u32(0).u16(3).u16(0x8004).u32(70_000);
    LittleEndian array = record(0x1503).u32(FIRST).u32(0x23).u16(0x8004).u32(280_000).utf8z("");
    TypeNames names = types(record.utf8z("Big"), array);
    assertEquals("Big", names.type(FIRST));
    assertEquals("Big[4]", names.type(FIRST + 1));
  }
}

package io.ntrail.formats.pdb;

import static org.junit.jupiter.api.Assertions.assertFalse;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pdb.codeview.C11Lines;
import io.ntrail.formats.pdb.codeview.C13Lines;
import io.ntrail.formats.pdb.codeview.CodeViewCursor;
import io.ntrail.formats.pdb.codeview.InlineRows;
import io.ntrail.formats.pdb.codeview.LineRow;
import io.ntrail.formats.pdb.codeview.Symbol;
import io.ntrail.formats.pdb.codeview.TypeNames;
import io.ntrail.formats.pdb.codeview.TypeTable;
import io.ntrail.formats.pdb.msf.MsfStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/** Any bytes as a whole PDB and as each kind of stream: read, or damaged, and nothing else. */
class PdbFuzzTest {
  private static void read(byte[] data, Consumer<MsfStream> reader) {
    try (InputFile input = InputFile.of(data, "fuzz")) {
      reader.accept(MsfStream.of(input));
    } catch (DamagedInput e) {
      assertFalse(e.what().isEmpty());
    }
  }

  @FuzzTest(maxDuration = "60s")
  void wholeFile(byte[] data) {
    try (InputFile input = InputFile.of(data, "fuzz")) {
      EverythingInPdb.read(PdbFile.open(input));
    } catch (CannotGoOn e) {
      assertFalse(e.message().isEmpty());
    }
  }

  @FuzzTest(maxDuration = "60s")
  void symbols(byte[] data) {
    read(
        data,
        stream -> {
          CodeViewCursor cursor = new CodeViewCursor(stream, 0, stream.length());
          while (cursor.next()) {
            if (Symbol.of(cursor) instanceof Symbol.InlineSite site) {
              InlineRows.of(site.annotations(), 0, 1, 100);
            }
          }
        });
  }

  @FuzzTest(maxDuration = "60s")
  void c13Lines(byte[] data) {
    read(
        data,
        stream -> {
          C13Lines lines = C13Lines.read(stream);
          for (LineRow row : lines.rows()) {
            lines.file(row.file());
          }
          lines.row(1, 0x10);
          lines.inlinees().forEach(inlinee -> lines.imported(inlinee.item() | 0x8000_0000L));
        });
  }

  @FuzzTest(maxDuration = "60s")
  void c11Lines(byte[] data) {
    read(
        data,
        stream -> {
          C11Lines lines = C11Lines.read(stream);
          lines.rows().forEach(row -> lines.file(row.file()));
          lines.row(1, 0x10);
        });
  }

  @FuzzTest(maxDuration = "60s")
  void types(byte[] data) {
    read(
        data,
        stream -> {
          TypeTable table = TypeTable.read(stream, Optional.empty());
          TypeNames names = new TypeNames(table, table);
          for (long i = table.first(); i < Math.min(table.end(), table.first() + 100); i++) {
            names.type(i);
            names.function(i);
            names.parameters(i);
          }
        });
  }

  @FuzzTest(maxDuration = "60s")
  void otherStreams(byte[] data) {
    read(data, PdbInfo::read);
    read(data, stream -> StringTable.read(stream).text(1));
    read(data, DbiHeader::read);
    read(data, PdbModule::read);
    read(data, stream -> SectionContributions.read(stream).find(1, 0x10));
    read(data, stream -> SourceFiles.read(stream).of(0));
    read(data, PdbSection::read);
    read(data, stream -> Omap.read(stream).ranges(1, 1000));
    read(data, MappedCopy::read);
    read(data, stream -> FrameData.read(stream, StringTable.EMPTY).find(0x10));
    read(data, stream -> PublicSymbols.read(stream, stream, false).atOrBefore(1, 0x10));
    read(data, stream -> PublicSymbols.scanned(stream).named("main"));
    read(data, stream -> GlobalSymbols.read(stream, stream, true).named("main"));
  }

  @FuzzTest(maxDuration = "60s")
  void framePrograms(byte[] data) {
    Map<String, Integer> values = new HashMap<>();
    values.put("$esp", 0x1000);
    values.put("$ebp", 0x2000);
    values.put(".raSearch", 0x1010);
    FrameProgram.of(new String(data, StandardCharsets.ISO_8859_1))
        .run(values, address -> OptionalInt.of(address));
  }
}

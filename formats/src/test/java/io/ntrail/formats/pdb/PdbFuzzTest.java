package io.ntrail.formats.pdb;

import static org.junit.jupiter.api.Assertions.assertFalse;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pdb.codeview.C11Lines;
import io.ntrail.formats.pdb.codeview.C13Lines;
import io.ntrail.formats.pdb.codeview.CodeViewCursor;
import io.ntrail.formats.pdb.codeview.InlineSiteLines;
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
      PdbContents.read(PdbFile.open(input));
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
              InlineSiteLines.of(site.annotations(), 0, 1, 100);
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
  void pdbStream(byte[] data) {
    read(data, stream -> PdbInfo.read(stream, _ -> {}));
  }

  @FuzzTest(maxDuration = "60s")
  void dbi(byte[] data) {
    read(
        data,
        stream -> {
          DbiHeader header = DbiHeader.read(stream);
          for (DbiHeader.Part part : DbiHeader.Part.values()) {
            header.part(stream, part);
          }
          PdbModule.read(header.part(stream, DbiHeader.Part.MODULES));
        });
  }

  @FuzzTest(maxDuration = "60s")
  void sectionContributions(byte[] data) {
    read(
        data,
        stream -> {
          SectionContributions contributions = SectionContributions.read(stream);
          contributions.find(1, 0x10);
          for (int i = 0; i < contributions.count(); i++) {
            SectionContributions.Contribution c = contributions.get(i);
            contributions.find(c.section(), c.offset() + c.size() / 2);
          }
        });
  }

  @FuzzTest(maxDuration = "60s")
  void sourceFiles(byte[] data) {
    read(
        data,
        stream -> {
          SourceFiles files = SourceFiles.read(stream);
          for (int i = -1; i < 100; i++) {
            files.of(i);
          }
        });
  }

  @FuzzTest(maxDuration = "60s")
  void stringTable(byte[] data) {
    read(
        data,
        stream -> {
          StringTable names = StringTable.read(stream);
          for (long at : new long[] {0, 1, stream.length() / 2, 0xFFFF_FFFFL}) {
            names.text(at);
          }
        });
  }

  @FuzzTest(maxDuration = "60s")
  void omap(byte[] data) {
    read(
        data,
        stream -> {
          Omap omap = Omap.read(stream);
          for (long rva : new long[] {0, 1, 0x1000, 0xFFFF_FFFFL}) {
            omap.translate(rva);
            omap.firstSurviving(rva, 0x100);
            omap.ranges(rva, 0x1000);
          }
        });
  }

  @FuzzTest(maxDuration = "60s")
  void frameData(byte[] data) {
    read(
        data,
        stream -> {
          FrameData frames = FrameData.read(stream, StringTable.EMPTY);
          frames.frames().stream().limit(1000).forEach(frame -> frames.find(frame.begin() + 1));
        });
  }

  @FuzzTest(maxDuration = "60s")
  void copiesOfTheImage(byte[] data) {
    read(data, PdbSection::read);
    read(data, UnwindDataCopy::read);
  }

  /** Half of the input is the stream of the publics, the other half their records. */
  @FuzzTest(maxDuration = "60s")
  void publics(byte[] data) {
    read(
        data,
        stream -> {
          MsfStream records = half(stream, true);
          one(() -> PublicSymbols.scanned(records).named("main"));
          PublicSymbols publics = PublicSymbols.read(half(stream, false), records, false);
          one(() -> publics.atOrBefore(1, 0x10));
          one(() -> publics.nextAfter(1, 0x10));
          one(() -> publics.named("main"));
          for (int i = 0; i < Math.min(1000, publics.count()); i++) {
            publics.get(i);
          }
        });
  }

  /** Half of the input is the stream of the globals, the other half their records. */
  @FuzzTest(maxDuration = "60s")
  void globals(byte[] data) {
    read(
        data,
        stream -> {
          for (boolean minimal : new boolean[] {false, true}) {
            GlobalSymbols globals =
                GlobalSymbols.read(half(stream, false), half(stream, true), minimal);
            one(() -> globals.named("main"));
            for (int i = 0; i < Math.min(1000, globals.count()); i++) {
              GlobalSymbols.name(globals.get(i));
            }
          }
        });
  }

  private static MsfStream half(MsfStream stream, boolean second) {
    long middle = stream.length() / 2;
    return second ? stream.part(middle, stream.length() - middle) : stream.part(0, middle);
  }

  /** Queries that are made although something before may be damaged. */
  private static void one(Runnable reader) {
    try {
      reader.run();
    } catch (DamagedInput e) {
      assertFalse(e.what().isEmpty());
    }
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

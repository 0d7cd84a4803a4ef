package io.ntrail.cli.image;

import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.CellWriter;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.pe.Certificates;
import io.ntrail.formats.pe.Certificates.Certificate;
import io.ntrail.formats.pe.Checksum;
import io.ntrail.formats.pe.DataDirectory;
import io.ntrail.formats.pe.DebugDirectory;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.LoadConfig.Field;
import io.ntrail.formats.pe.Overlay;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.RichHeader;
import io.ntrail.formats.pe.Tls;
import io.ntrail.programs.image.ParsedImage;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;

/**
 * {@code image --headers}: the fields of all headers, of the data directories, and of what lies in
 * places of its own: Rich header, load configuration, thread-local storage, debug directory,
 * certificates, overlay. A row a field; fields of zero are left out.
 */
final class ImageHeaderRows {
  /** Fields of the load configuration that count something; all others are addresses or flags. */
  private static final Set<Field> COUNTS =
      Set.of(
          Field.SIZE,
          Field.MAJOR_VERSION,
          Field.MINOR_VERSION,
          Field.SE_HANDLER_COUNT,
          Field.GUARD_CF_FUNCTION_COUNT,
          Field.GUARD_ADDRESS_TAKEN_IAT_ENTRY_COUNT,
          Field.GUARD_LONG_JUMP_TARGET_COUNT,
          Field.GUARD_EH_CONTINUATION_COUNT);

  /**
   * A field.
   *
   * @param part the header that it is in
   * @param isHex whether its value is read in hexadecimal
   * @param meaning what the value stands for; empty if it speaks for itself
   */
  private record Row(String part, String name, long value, boolean isHex, String meaning) {}

  private final ParsedImage contents;
  private final PeImage image;
  private final PeHeaders headers;

  private ImageHeaderRows(ParsedImage contents) {
    this.contents = contents;
    this.image = contents.image();
    this.headers = image.headers();
  }

  static ImagePart of(ParsedImage contents) {
    ListingColumns<Row> columns =
        new ListingColumns<Row>()
            .text("part", Row::part)
            .titled("header")
            .text("name", Row::name)
            .titled("field")
            .value("value", ImageHeaderRows::value)
            .titled()
            .text("meaning", row -> row.meaning.isEmpty() ? null : row.meaning)
            .titled()
            .remarks();
    ImageHeaderRows rows = new ImageHeaderRows(contents);
    return ImagePart.of(new Listing<>("headers", columns, rows::rows), "field");
  }

  private static void value(Row row, CellWriter cell) {
    if (row.isHex) {
      cell.hex(row.value);
    } else {
      cell.unsigned(row.value);
    }
  }

  private void rows(Consumer<Row> sink) {
    file(sink);
    optional(sink);
    directories(sink);
    rich(sink);
    loadConfig(sink);
    tls(sink);
    debug(sink);
    behind(sink);
  }

  private void file(Consumer<Row> sink) {
    String part = "file header";
    hex(sink, part, "machine", headers.machine());
    number(sink, part, "sections", headers.sectionCount());
    hex(sink, part, "timeDateStamp", headers.timestamp());
    hex(sink, part, "symbolTable", headers.symbolTableOffset());
    number(sink, part, "symbols", headers.symbolCount());
    number(sink, part, "sizeOfOptionalHeader", headers.optionalSize());
    hex(sink, part, "characteristics", headers.characteristics());
  }

  private void optional(Consumer<Row> sink) {
    String part = "optional header";
    hex(sink, part, "magic", headers.magic());
    version(sink, part, "linkerVersion", headers.linkerMajor(), headers.linkerMinor());
    number(sink, part, "sizeOfCode", headers.sizeOfCode());
    number(sink, part, "sizeOfInitializedData", headers.sizeOfInitializedData());
    number(sink, part, "sizeOfUninitializedData", headers.sizeOfUninitializedData());
    hex(sink, part, "entryPoint", headers.entryPoint());
    hex(sink, part, "baseOfCode", headers.baseOfCode());
    hex(sink, part, "baseOfData", headers.baseOfData());
    hex(sink, part, "imageBase", headers.imageBase());
    number(sink, part, "sectionAlignment", headers.sectionAlignment());
    number(sink, part, "fileAlignment", headers.fileAlignment());
    version(sink, part, "systemVersion", headers.osMajor(), headers.osMinor());
    version(sink, part, "imageVersion", headers.imageMajor(), headers.imageMinor());
    version(sink, part, "subsystemVersion", headers.subsystemMajor(), headers.subsystemMinor());
    number(sink, part, "sizeOfImage", headers.sizeOfImage());
    number(sink, part, "sizeOfHeaders", headers.sizeOfHeaders());
    if (headers.checksum() != 0) {
      String right = image.file().isEmpty() ? "" : Checksum.isRight(image) ? "right" : "wrong";
      sink.accept(new Row(part, "checksum", headers.checksum(), true, right));
    }
    number(sink, part, "subsystem", headers.subsystem());
    hex(sink, part, "dllCharacteristics", headers.dllCharacteristics());
    number(sink, part, "stackReserve", headers.stackReserve());
    number(sink, part, "stackCommit", headers.stackCommit());
    number(sink, part, "heapReserve", headers.heapReserve());
    number(sink, part, "heapCommit", headers.heapCommit());
    number(sink, part, "directories", headers.directoryCount());
  }

  private void directories(Consumer<Row> sink) {
    for (DataDirectory directory : DataDirectory.values()) {
      DataDirectory.Range range = image.directory(directory);
      if (range.isPresent()) {
        sink.accept(
            new Row(
                "data directory",
                directory.name(),
                range.rva(),
                true,
                Numbers.counted(range.size(), "byte")
                    + (directory == DataDirectory.CERTIFICATE ? " at this offset" : "")));
      }
    }
  }

  private void rich(Consumer<Row> sink) {
    RichHeader.of(image)
        .ifPresent(rich -> {
          sink.accept(
              new Row(
                  "Rich header",
                  "key",
                  rich.key(),
                  true,
                  rich.isGenuine()
                      ? "belongs to these headers"
                      : "of other headers: " + Numbers.hex(rich.computed()) + " is right"));
          for (RichHeader.Entry entry : rich.entries()) {
            sink.accept(
                new Row(
                    "Rich header",
                    "objects",
                    entry.count(),
                    false,
                    "of tool " + entry.product() + ", build " + entry.build()));
          }
        });
  }

  private void loadConfig(Consumer<Row> sink) {
    contents
        .loadConfig()
        .ifPresent(config -> {
          for (Field field : Field.values()) {
            long value = config.value(field);
            if (value != 0) {
              String meaning =
                  field == Field.GUARD_FLAGS
                      ? String.join(" ", LoadConfig.guardFlagNames(value))
                      : "";
              sink.accept(
                  new Row(
                      "load configuration", field.name(), value, !COUNTS.contains(field), meaning));
            }
          }
        });
  }

  private void tls(Consumer<Row> sink) {
    Tls.of(image)
        .ifPresent(tls -> {
          String part = "thread-local storage";
          hex(sink, part, "begin", tls.begin());
          hex(sink, part, "end", tls.end());
          hex(sink, part, "index", tls.index());
          number(sink, part, "zeroFill", tls.zeroFill());
          hex(sink, part, "characteristics", tls.characteristics());
          for (long callback : tls.callbacks()) {
            sink.accept(new Row(part, "callback", callback, true, ""));
          }
        });
  }

  private void debug(Consumer<Row> sink) {
    for (DebugDirectory.Entry entry : contents.debug().entries()) {
      sink.accept(
          new Row(
              "debug directory",
              entry.typeText(),
              entry.rva(),
              true,
              Numbers.counted(entry.size(), "byte") + " at offset " + Numbers.hex(entry.offset())));
    }
  }

  /** Adds what follows the sections in the file. */
  private void behind(Consumer<Row> sink) {
    for (Certificate certificate : contents.certificates().list()) {
      sink.accept(
          new Row(
              "certificate",
              "offset",
              certificate.offset(),
              true,
              Numbers.counted(certificate.length(), "byte")
                  + (certificate.type() == Certificates.PKCS_SIGNED_DATA
                      ? ", a signature (not checked)"
                      : ", type " + certificate.type())));
    }
    Overlay overlay = Overlay.of(image);
    if (overlay.size() > 0) {
      sink.accept(
          new Row(
              "overlay",
              "offset",
              overlay.offset(),
              true,
              Numbers.counted(overlay.size(), "byte")));
    }
  }

  private static void hex(Consumer<Row> sink, String part, String name, long value) {
    if (value != 0) {
      sink.accept(new Row(part, name, value, true, ""));
    }
  }

  private static void number(Consumer<Row> sink, String part, String name, long value) {
    if (value != 0) {
      sink.accept(new Row(part, name, value, false, ""));
    }
  }

  private static void version(Consumer<Row> sink, String part, String name, int major, int minor) {
    if (major != 0 || minor != 0) {
      String text = String.format(Locale.ROOT, "%d.%02d", major, minor);
      sink.accept(new Row(part, name, (long) major << 16 | minor, true, text));
    }
  }
}

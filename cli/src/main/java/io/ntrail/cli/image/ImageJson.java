package io.ntrail.cli.image;

import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.identity.FileTime;
import io.ntrail.formats.identity.FileVersion;
import io.ntrail.formats.pe.DebugDirectory.CodeView;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.formats.pe.VersionInfo;
import io.ntrail.formats.pe.unwind.FunctionTableSummary;
import io.ntrail.programs.image.ArmCode;
import io.ntrail.programs.image.ImageMitigations;
import io.ntrail.programs.image.ParsedImage;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code ntrail image} for programs. */
final class ImageJson {
  private ImageJson() {}

  static void print(
      ParsedImage contents, List<ImagePart> parts, Supplier<List<Gap>> gaps, Terminal terminal) {
    try (Json json = new Json(terminal.out())) {
      json.object().text("schema", "ntrail.image/1");
      summary(json, contents);
      parts.forEach(part -> part.json().accept(json));
      json.gaps(gaps.get()).endObject();
    }
  }

  /** Writes the members that every answer has. */
  static void summary(Json json, ParsedImage contents) {
    PeHeaders headers = contents.image().headers();
    json.text("file", contents.image().name())
        .text("kind", headers.isWide() ? "PE32+" : "PE32")
        .text("type", type(headers))
        .text("machine", MachineType.text(headers.machine()))
        .number("timestamp", headers.timestamp())
        .text(
            "linkedUtc",
            contents
                .linked()
                .map(seconds -> Numbers.utc(FileTime.ofUnixSeconds(seconds)))
                .orElse(null))
        .number("sizeOfImage", headers.sizeOfImage())
        .text("imageBase", Numbers.hex(headers.imageBase()))
        .text("entryPoint", Numbers.hex(headers.entryPoint()))
        .text("linker", headers.linkerMajor() + "." + headers.linkerMinor())
        .number("subsystem", headers.subsystem())
        .text("characteristics", Numbers.hex(headers.characteristics()))
        .text("dllCharacteristics", Numbers.hex(headers.dllCharacteristics()))
        .text("checksum", Numbers.hex(headers.checksum()))
        .text("codeId", contents.id().key());
    version(json, contents.version().orElse(null));
    json.text("clr", contents.clr().map(clr -> clr.code().name()).orElse(null));
    pdb(json, contents.debug().codeView().orElse(null));
    security(json, contents.security());
    functionTable(json, contents);
    ArmCode arm = contents.arm();
    json.text("hybrid", arm.hybrid().orElse(null));
    if (arm.entries() == 0) {
      json.unknown("armFunctionEntries");
    } else {
      json.number("armFunctionEntries", arm.entries());
    }
  }

  private static void functionTable(Json json, ParsedImage contents) {
    if (contents.image().headers().machine() != MachineType.AMD64) {
      json.unknown("functionTable");
      return;
    }
    FunctionTableSummary table = contents.functionTable();
    json.object("functionTable")
        .number("entries", table.entries())
        .number("chained", table.chained())
        .number("handled", table.handled())
        .number("damaged", table.damaged())
        .endObject();
  }

  static String type(PeHeaders headers) {
    // What runs without a subsystem runs in the kernel.
    return headers.is(PeHeaders.DLL) ? "dll" : headers.subsystem() == 1 ? "driver" : "exe";
  }

  private static void version(Json json, @Nullable VersionInfo version) {
    if (version == null) {
      json.unknown("version");
      return;
    }
    VersionInfo.Numbers numbers = version.numbers();
    json.object("version")
        .text("file", numbers == null ? null : FileVersion.text(numbers.fileVersion()))
        .text("product", numbers == null ? null : FileVersion.text(numbers.productVersion()))
        .array("texts");
    for (VersionInfo.Table table : version.tables()) {
      table
          .texts()
          .forEach((key, text) ->
              json.object()
                  .number("language", table.language())
                  .text("key", key)
                  .text("text", text)
                  .endObject());
    }
    json.endArray().endObject();
  }

  private static void pdb(Json json, @Nullable CodeView view) {
    switch (view) {
      case CodeView.Pdb70(var guid, long age, String path) ->
          json.object("pdb")
              .text("guid", guid.toString())
              .number("age", age)
              .text("name", path)
              .endObject();
      case CodeView.Pdb20(long signature, long age, String path) ->
          json.object("pdb")
              .unknown("guid")
              .text("signature", Numbers.hex(signature))
              .number("age", age)
              .text("name", path)
              .endObject();
      case null, default -> json.unknown("pdb");
    }
  }

  private static void security(Json json, ImageMitigations security) {
    json.object("security")
        .bool("dynamicBase", security.dynamicBase())
        .bool("relocations", security.relocations())
        .bool("highEntropyVa", security.highEntropyVa())
        .bool("nx", security.nx())
        .bool("cfg", security.cfg())
        .bool("xfg", security.xfg());
    flag(json, "cet", security.cet());
    flag(json, "safeSeh", security.safeSeh());
    json.bool("gs", security.gs()).bool("forceIntegrity", security.forceIntegrity());
    flag(json, "signed", security.signed());
    json.bool("aslrEffective", security.aslrEffective()).endObject();
  }

  private static void flag(Json json, String key, @Nullable Boolean value) {
    if (value == null) {
      json.unknown(key);
    } else {
      json.bool(key, value);
    }
  }
}

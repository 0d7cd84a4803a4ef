package io.ntrail.testkit.described;

import io.ntrail.testkit.LittleEndian;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Writes an instrumentation manifest, which is also what an EventSource sends; tasks and opcodes
 * are numbered as they come.
 */
public final class ManifestWriter {
  private static final String[] IN = {
    "Null",
    "UnicodeString",
    "AnsiString",
    "Int8",
    "UInt8",
    "Int16",
    "UInt16",
    "Int32",
    "UInt32",
    "Int64",
    "UInt64",
    "Float",
    "Double",
    "Boolean",
    "Binary",
    "GUID",
    "Pointer",
    "FILETIME",
    "SYSTEMTIME",
    "SID",
    "HexInt32",
    "HexInt64",
    "CountedUnicodeString",
    "CountedAnsiString",
    "",
    "CountedBinary",
  };

  private static final Map<Integer, String> OUT =
      Map.ofEntries(
          Map.entry(1, "xs:string"),
          Map.entry(2, "xs:dateTime"),
          Map.entry(3, "xs:byte"),
          Map.entry(4, "xs:unsignedByte"),
          Map.entry(8, "xs:unsignedInt"),
          Map.entry(13, "xs:boolean"),
          Map.entry(14, "xs:GUID"),
          Map.entry(15, "xs:hexBinary"),
          Map.entry(16, "win:HexInt8"),
          Map.entry(17, "win:HexInt16"),
          Map.entry(18, "win:HexInt32"),
          Map.entry(19, "win:HexInt64"),
          Map.entry(20, "win:PID"),
          Map.entry(21, "win:TID"),
          Map.entry(22, "win:Port"),
          Map.entry(23, "win:IPv4"),
          Map.entry(24, "win:IPv6"),
          Map.entry(25, "win:SocketAddress"),
          Map.entry(28, "win:Xml"),
          Map.entry(29, "win:ErrorCode"),
          Map.entry(30, "win:Win32Error"),
          Map.entry(31, "win:NTSTATUS"),
          Map.entry(32, "win:HResult"),
          Map.entry(34, "win:Json"),
          Map.entry(35, "win:Utf8"),
          Map.entry(37, "win:CodePointer"),
          Map.entry(38, "win:DateTimeUtc"));

  private final String provider;
  private final UUID guid;
  private final StringBuilder events = new StringBuilder();
  private final StringBuilder templates = new StringBuilder();
  private final StringBuilder maps = new StringBuilder();
  private final Map<String, Integer> tasks = new LinkedHashMap<>();
  private final Map<String, Integer> opcodes = new LinkedHashMap<>();
  private final Map<String, String> strings = new TreeMap<>();

  /** A manifest of one provider without events. */
  public ManifestWriter(String provider, UUID guid) {
    this.provider = provider;
    this.guid = guid;
  }

  /** A value map or a bit map. */
  public ManifestWriter map(String name, boolean bits, Map<Long, String> entries) {
    String kind = bits ? "bitMap" : "valueMap";
    maps.append("    <%s name=\"%s\">%n".formatted(kind, xml(name)));
    entries.forEach((value, text) -> {
      String id = "map." + name + "." + value;
      strings.put(id, text);
      maps.append(
          "      <map value=\"0x%x\" message=\"$(string.%s)\"/>%n".formatted(value, xml(id)));
    });
    maps.append("    </%s>%n".formatted(kind));
    return this;
  }

  /**
   * An event.
   *
   * @param symbol of the event; empty for none, as in manifests that were made from a binary
   * @param task name; empty for none
   * @param opcode name; empty for none
   * @param message with {@code %1} for the first field; empty for none
   */
  public ManifestWriter event(
      int id,
      int version,
      String symbol,
      String task,
      String opcode,
      String message,
      TypedEvent content) {
    events.append("    <event value=\"%d\" version=\"%d\"".formatted(id, version));
    attribute(events, "symbol", symbol);
    attribute(events, "task", task);
    attribute(events, "opcode", opcode);
    events.append(" level=\"win:Informational\"");
    if (!task.isEmpty()) {
      tasks.putIfAbsent(task, tasks.size() + 1);
    }
    if (!opcode.isEmpty() && !opcode.startsWith("win:")) {
      opcodes.putIfAbsent(opcode, opcodes.size() + 10);
    }
    if (!message.isEmpty()) {
      String string = "event." + id + "." + version;
      strings.put(string, message);
      attribute(events, "message", "$(string." + string + ")");
    }
    if (!content.specs().isEmpty()) {
      String template = "template_" + id + "_" + version;
      attribute(events, "template", template);
      templates.append("    <template tid=\"%s\">%n".formatted(template));
      fields("      ", content.specs());
      templates.append("    </template>%n".formatted());
    }
    events.append("/>%n".formatted());
    return this;
  }

  private void fields(String indent, List<TypedEvent.Spec> specs) {
    for (TypedEvent.Spec spec : specs) {
      String countField = spec.countField();
      String lengthField = spec.lengthField();
      templates.append(indent).append(spec.in() < 0 ? "<struct" : "<data");
      attribute(templates, "name", spec.name());
      attribute(
          templates,
          "count",
          countField != null ? countField : spec.count() == 1 ? "" : "" + spec.count());
      if (spec.in() < 0) {
        templates.append(">%n".formatted());
        fields(indent + "  ", spec.members());
        templates.append(indent).append("</struct>%n".formatted());
        continue;
      }
      attribute(templates, "inType", "win:" + IN[spec.in()]);
      attribute(templates, "outType", OUT.getOrDefault(spec.out(), ""));
      attribute(
          templates,
          "length",
          lengthField != null ? lengthField : spec.length() == 0 ? "" : "" + spec.length());
      String map = spec.map();
      attribute(templates, "map", map == null ? "" : map);
      templates.append("/>%n".formatted());
    }
  }

  private static void attribute(StringBuilder out, String name, String value) {
    if (!value.isEmpty()) {
      out.append(' ').append(name).append("=\"").append(xml(value)).append('"');
    }
  }

  private static String xml(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }

  /** The manifest. */
  public String write() {
    StringBuilder out = new StringBuilder();
    String namespace = "http://schemas.microsoft.com/win/2004/08/events";
    out.append("<instrumentationManifest xmlns=\"%s\">%n".formatted(namespace));
    out.append(" <instrumentation xmlns:xs=\"http://www.w3.org/2001/XMLSchema\"");
    out.append(
        " xmlns:win=\"http://manifests.microsoft.com/win/2004/08/windows/events\">%n".formatted());
    out.append(
        "  <events>%n   <provider name=\"%s\" guid=\"{%s}\" symbol=\"P\">%n"
            .formatted(xml(provider), guid));
    numbered(out, "task", tasks);
    numbered(out, "opcode", opcodes);
    section(out, "maps", maps);
    section(out, "events", events);
    section(out, "templates", templates);
    out.append("   </provider>%n  </events>%n </instrumentation>%n".formatted());
    out.append(" <localization>%n  <resources culture=\"en-US\">%n   <stringTable>%n".formatted());
    strings.forEach((id, text) ->
        out.append("    <string id=\"%s\" value=\"%s\"/>%n".formatted(xml(id), xml(text))));
    out.append("   </stringTable>%n  </resources>%n </localization>%n".formatted());
    return out.append("</instrumentationManifest>%n".formatted()).toString();
  }

  private static void section(StringBuilder out, String name, CharSequence content) {
    if (!content.isEmpty()) {
      out.append("   <%s>%n".formatted(name)).append(content);
      out.append("   </%s>%n".formatted(name));
    }
  }

  private static void numbered(StringBuilder out, String kind, Map<String, Integer> names) {
    StringBuilder content = new StringBuilder();
    names.forEach((name, value) ->
        content.append("    <%s name=\"%s\" value=\"%d\"/>%n".formatted(kind, xml(name), value)));
    section(out, kind + "s", content);
  }

  /**
   * The payloads of the events (id 0xFFFE) with which an EventSource sends its manifest.
   *
   * @param xml the manifest
   * @param size bytes of text in a piece; EventSource takes about 65,000
   */
  public static List<byte[]> chunks(String xml, int size) {
    byte[] text = xml.getBytes(StandardCharsets.UTF_8);
    int total = Math.max(1, (text.length + size - 1) / size);
    List<byte[]> out = new ArrayList<>();
    for (int i = 0; i < total; i++) {
      byte[] piece = Arrays.copyOfRange(text, i * size, Math.min(text.length, (i + 1) * size));
      LittleEndian chunk = new LittleEndian().u8(1).u8(1).u8(0).u8(0x5B).u16(total).u16(i);
      out.add(chunk.bytes(piece).toByteArray());
    }
    return out;
  }
}

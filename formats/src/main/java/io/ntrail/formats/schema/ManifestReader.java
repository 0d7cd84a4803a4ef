package io.ntrail.formats.schema;

import io.ntrail.formats.bytes.XmlText;
import java.io.ByteArrayInputStream;
import java.io.Reader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * Walks the XML of a manifest and hands what it finds to {@link ManifestProviders}. Elements count
 * by their local names: manifests in use put them into several namespaces.
 *
 * <p>No document type, no entities of the document's own, nothing fetched; depth is bounded.
 */
final class ManifestReader {
  private static final int MAX_DEPTH = Schema.MAX_DEPTH + 24;
  private static final int MAX_PROBLEMS = 100;
  private static final String PREFERRED_CULTURE = "en-US";

  /** Thrown if the input is not a manifest; the message starts with a place, or with a colon. */
  static final class NoManifest extends Exception {
    private static final long serialVersionUID = 1L;

    NoManifest(String message) {
      super(message);
    }
  }

  /** Handler of an element that starts; it must read up to its end. */
  private interface Element {
    void read(String name) throws XMLStreamException, NoManifest;
  }

  /** {@code data} or {@code struct} as written. */
  record RawField(
      int line,
      String name,
      @Nullable String in,
      @Nullable String out,
      @Nullable String length,
      @Nullable String count,
      @Nullable String map,
      @Nullable List<RawField> members) {}

  /** Anything that has a name, a number and a text: tasks, opcodes, levels, keywords, values. */
  record RawName(int line, String name, String value, @Nullable String message, String guid) {}

  /** {@code valueMap} or {@code bitMap}. */
  record RawMap(int line, boolean bits, List<RawName> values) {}

  /** {@code event} as written. */
  record RawEvent(
      int line,
      String value,
      String version,
      @Nullable String name,
      @Nullable String symbol,
      String template,
      String task,
      String opcode,
      String level,
      String keywords,
      @Nullable String message) {}

  /** {@code provider} as written; opcodes of a task are kept as {@code task/opcode}. */
  static final class RawProvider {
    int line;
    String name = "";
    String guid = "";
    String source = "";
    final List<RawEvent> events = new ArrayList<>();
    final Map<String, List<RawField>> templates = new LinkedHashMap<>();
    final Map<String, RawMap> maps = new LinkedHashMap<>();
    final Map<String, RawName> tasks = new HashMap<>();
    final Map<String, RawName> opcodes = new HashMap<>();
    final Map<String, RawName> levels = new HashMap<>();
    final Map<String, RawName> keywords = new LinkedHashMap<>();
  }

  private final SchemaSource source;
  private final String name;
  private final List<RawProvider> providers = new ArrayList<>();
  private final Map<String, String> strings = new HashMap<>();
  private final List<String> problems = new ArrayList<>();
  private @Nullable XMLStreamReader reader;
  private int depth;

  ManifestReader(SchemaSource source, String name) {
    this.source = source;
    this.name = name;
  }

  Manifest read(byte[] xml) throws NoManifest {
    String problem = XmlText.problem(xml);
    if (!problem.isEmpty()) {
      throw new NoManifest(problem);
    }
    try {
      return read(XmlText.factory().createXMLStreamReader(new ByteArrayInputStream(xml)));
    } catch (XMLStreamException e) {
      throw new NoManifest(XmlText.problem(e));
    }
  }

  Manifest read(Reader xml) throws NoManifest {
    try {
      return read(XmlText.factory().createXMLStreamReader(xml));
    } catch (XMLStreamException e) {
      throw new NoManifest(XmlText.problem(e));
    }
  }

  private Manifest read(XMLStreamReader xml) throws NoManifest {
    reader = xml;
    try {
      while (xml.hasNext()) {
        switch (xml.next()) {
          case XMLStreamConstants.START_ELEMENT -> anything(xml.getLocalName());
          case XMLStreamConstants.DTD ->
              throw new NoManifest(place() + ": document type declarations are not allowed");
          default -> {
            // Nothing else means anything outside of elements.
          }
        }
      }
      if (providers.isEmpty()) {
        throw new NoManifest(": contains no provider");
      }
      return new ManifestProviders(source, strings, this::problem).manifest(providers, problems);
    } catch (XMLStreamException e) {
      throw new NoManifest(XmlText.problem(e));
    } catch (RuntimeException e) {
      if (XmlText.isOfParser(e)) {
        // The parser wraps what it finds in broken encodings in exceptions of its own.
        throw new NoManifest(place() + ": not XML: " + e.getMessage());
      }
      throw e;
    } finally {
      close(xml);
    }
  }

  private static void close(XMLStreamReader xml) {
    try {
      xml.close();
    } catch (XMLStreamException e) {
      // It reads from memory: nothing is left open.
      return;
    }
  }

  private XMLStreamReader xml() {
    XMLStreamReader xml = reader;
    if (xml == null) {
      throw new IllegalStateException("not reading");
    }
    return xml;
  }

  private int line() {
    return xml().getLocation().getLineNumber();
  }

  private String place() {
    return ", line " + line();
  }

  private void problem(int line, String what) {
    if (problems.size() < MAX_PROBLEMS) {
      problems.add(name + ", line " + line + ": " + what);
    }
  }

  private @Nullable String attribute(String attribute) {
    return xml().getAttributeValue(null, attribute);
  }

  private String attributeOr(String attribute, String otherwise) {
    String value = attribute(attribute);
    return value == null ? otherwise : value.strip();
  }

  /** Reads up to the end of the element that has just begun. */
  private void children(Element child) throws XMLStreamException, NoManifest {
    if (++depth > MAX_DEPTH) {
      throw new NoManifest(place() + ": nested deeper than " + MAX_DEPTH + " elements");
    }
    while (true) {
      int event = xml().next();
      if (event == XMLStreamConstants.END_ELEMENT || event == XMLStreamConstants.END_DOCUMENT) {
        break;
      }
      if (event == XMLStreamConstants.START_ELEMENT) {
        child.read(xml().getLocalName());
      }
    }
    depth--;
  }

  private void skip(String ignored) throws XMLStreamException, NoManifest {
    children(this::skip);
  }

  /** Outside of providers: manifests may be wrapped in setup descriptions and the like. */
  private void anything(String element) throws XMLStreamException, NoManifest {
    switch (element) {
      case "provider" -> provider();
      case "resources" -> resources();
      // Performance counters have providers, too, and scenarios name events of others.
      case "counters", "scenarios" -> skip(element);
      default -> children(this::anything);
    }
  }

  private void provider() throws XMLStreamException, NoManifest {
    RawProvider provider = new RawProvider();
    provider.line = line();
    provider.name = attributeOr("name", "");
    provider.guid = attributeOr("guid", "");
    provider.source = attributeOr("source", "");
    providers.add(provider);
    children(section -> {
      switch (section) {
        case "events" -> children(element -> event(provider, element));
        case "templates" -> children(element -> template(provider, element));
        case "maps" -> children(element -> map(provider, element));
        case "tasks" -> children(element -> task(provider, element));
        case "opcodes" -> children(element -> named(provider.opcodes, "", "value"));
        case "levels" -> children(element -> named(provider.levels, "", "value"));
        case "keywords" -> children(element -> named(provider.keywords, "", "mask"));
        default -> skip(section);
      }
    });
  }

  private void event(RawProvider provider, String element) throws XMLStreamException, NoManifest {
    if (element.equals("event")) {
      provider.events.add(
          new RawEvent(
              line(),
              attributeOr("value", ""),
              attributeOr("version", "0"),
              attribute("name"),
              attribute("symbol"),
              attributeOr("template", ""),
              attributeOr("task", ""),
              attributeOr("opcode", ""),
              attributeOr("level", ""),
              attributeOr("keywords", ""),
              attribute("message")));
    }
    skip(element);
  }

  private void task(RawProvider provider, String element) throws XMLStreamException, NoManifest {
    if (!element.equals("task")) {
      skip(element);
      return;
    }
    RawName task = rawName("value");
    provider.tasks.putIfAbsent(task.name(), task);
    children(section -> {
      if (section.equals("opcodes")) {
        children(opcode -> named(provider.opcodes, task.name() + "/", "value"));
      } else {
        skip(section);
      }
    });
  }

  private void named(Map<String, RawName> into, String prefix, String value)
      throws XMLStreamException, NoManifest {
    RawName raw = rawName(value);
    into.putIfAbsent(prefix + raw.name(), raw);
    skip("");
  }

  private RawName rawName(String value) {
    return new RawName(
        line(),
        attributeOr("name", ""),
        attributeOr(value, ""),
        attribute("message"),
        attributeOr("eventGUID", ""));
  }

  private void map(RawProvider provider, String element) throws XMLStreamException, NoManifest {
    List<RawName> values = new ArrayList<>();
    RawMap map = new RawMap(line(), element.equals("bitMap"), values);
    if (map.bits() || element.equals("valueMap")) {
      provider.maps.putIfAbsent(attributeOr("name", ""), map);
    }
    children(value -> {
      values.add(rawName("value"));
      skip(value);
    });
  }

  private void template(RawProvider provider, String element)
      throws XMLStreamException, NoManifest {
    List<RawField> fields = new ArrayList<>();
    if (element.equals("template")) {
      provider.templates.putIfAbsent(attributeOr("tid", ""), fields);
    }
    children(field -> field(fields, field));
  }

  private void field(List<RawField> fields, String element) throws XMLStreamException, NoManifest {
    boolean struct = element.equals("struct");
    if (!struct && !element.equals("data")) {
      // The XML form of the event is irrelevant for its bytes.
      skip(element);
      return;
    }
    List<RawField> members = struct ? new ArrayList<>() : null;
    fields.add(
        new RawField(
            line(),
            attributeOr("name", ""),
            attribute("inType"),
            attribute("outType"),
            attribute("length"),
            attribute("count"),
            attribute("map"),
            members));
    children(member -> {
      if (members == null) {
        skip(member);
      } else {
        field(members, member);
      }
    });
  }

  private void resources() throws XMLStreamException, NoManifest {
    boolean preferred = PREFERRED_CULTURE.equalsIgnoreCase(attributeOr("culture", ""));
    children(table -> {
      if (!table.equals("stringTable")) {
        skip(table);
        return;
      }
      children(element -> {
        String id = attribute("id");
        String value = attribute("value");
        if (id != null && value != null) {
          if (preferred) {
            strings.put(id, value);
          } else {
            strings.putIfAbsent(id, value);
          }
        }
        skip(element);
      });
    });
  }
}

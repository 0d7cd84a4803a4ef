package io.ntrail.testkit.described;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.jspecify.annotations.Nullable;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/**
 * Reads the provider of an instrumentation manifest, as a file or as an EventSource sends it, with
 * the JDK's document tree.
 */
public final class ManifestParser {
  private static final String DISALLOW_DOCTYPE =
      "http://apache.org/xml/features/disallow-doctype-decl";

  /** TDH's numbers of the in types by their names in manifests. */
  private static final Map<String, Integer> IN_TYPES = inTypes();

  private static final Map<String, Integer> OUT_TYPES = outTypes();

  private record EventKey(int id, int version) {}

  private record Event(String name, String task, String message, List<FieldDescription> fields) {}

  private final String name;
  private final String guid;
  private final Map<EventKey, Event> events = new HashMap<>();
  private final Map<String, EventMap> maps = new HashMap<>();
  private final Map<String, String> strings;

  private ManifestParser(Element provider, Map<String, String> strings) {
    this.name = provider.getAttribute("name");
    this.guid = provider.getAttribute("guid").replaceAll("[{}]", "").toLowerCase(Locale.ROOT);
    this.strings = strings;
    for (String kind : new String[] {"valueMap", "bitMap"}) {
      for (Element element : below(provider, kind)) {
        addMap(element, kind.equals("bitMap"));
      }
    }
    Map<String, Element> templates = new HashMap<>();
    for (Element template : below(provider, "template")) {
      templates.put(template.getAttribute("tid"), template);
    }
    for (Element event : below(provider, "event")) {
      addEvent(provider, event, templates.get(event.getAttribute("template")));
    }
  }

  /**
   * The providers of a manifest.
   *
   * @throws IllegalArgumentException if the text is not a manifest
   */
  public static List<ManifestParser> parse(String xml) {
    Document document;
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setNamespaceAware(true);
      factory.setFeature(DISALLOW_DOCTYPE, true);
      String text = xml.startsWith("\uFEFF") ? xml.substring(1) : xml;
      document = factory.newDocumentBuilder().parse(new InputSource(new StringReader(text)));
    } catch (ParserConfigurationException | SAXException | IOException e) {
      throw new IllegalArgumentException(e);
    }
    Element root = document.getDocumentElement();
    Map<String, String> strings = new HashMap<>();
    for (Element string : below(root, "string")) {
      // The first culture wins: the languages differ in words only.
      strings.putIfAbsent(string.getAttribute("id"), string.getAttribute("value"));
    }
    List<ManifestParser> out = new ArrayList<>();
    for (Element provider : below(root, "provider")) {
      out.add(new ManifestParser(provider, strings));
    }
    return out;
  }

  /** The provider's name. */
  public String name() {
    return name;
  }

  /** The provider's GUID, lower case without braces. */
  public String guid() {
    return guid;
  }

  /** Returns the number of events. */
  public int events() {
    return events.size();
  }

  /** The value map of that name, or null. */
  public @Nullable EventMap map(String mapName) {
    return maps.get(mapName);
  }

  /**
   * An event, or null if the manifest does not have it.
   *
   * @param by {@link DescribedEvent.By#EVENT_SOURCE} or {@link DescribedEvent.By#MANIFEST}
   * @param pointer bytes of a pointer, 4 or 8
   */
  public @Nullable DescribedEvent read(
      DescribedEvent.By by, int id, int version, byte[] payload, int pointer) {
    Event event = events.get(new EventKey(id, version));
    return event == null
        ? null
        : FieldReader.read(by, name, event.name, event.message, event.fields, payload, pointer);
  }

  /**
   * Returns the name of an event by its task and opcode, or null if the manifest does not have it.
   */
  public @Nullable String task(int id, int version) {
    Event event = events.get(new EventKey(id, version));
    return event == null ? null : event.task;
  }

  private static List<Element> below(Element from, String localName) {
    List<Element> out = new ArrayList<>();
    NodeList all = from.getElementsByTagNameNS("*", localName);
    for (int i = 0; i < all.getLength(); i++) {
      out.add((Element) all.item(i));
    }
    return out;
  }

  private static List<Element> children(Element from) {
    List<Element> out = new ArrayList<>();
    for (Node child = from.getFirstChild(); child != null; child = child.getNextSibling()) {
      if (child instanceof Element element) {
        out.add(element);
      }
    }
    return out;
  }

  /** A text, or what {@code $(string.id)} stands for. */
  private String resolved(String text) {
    String start = "$(string.";
    if (text.startsWith(start) && text.endsWith(")")) {
      String id = text.substring(start.length(), text.length() - 1);
      return strings.getOrDefault(id, text);
    }
    return text;
  }

  private static long integer(String text) {
    String plain = text.trim();
    return plain.startsWith("0x") || plain.startsWith("0X")
        ? Long.parseUnsignedLong(plain.substring(2), 16)
        : Long.parseLong(plain);
  }

  private void addMap(Element element, boolean bits) {
    Map<Long, String> entries = new LinkedHashMap<>();
    for (Element entry : below(element, "map")) {
      entries.putIfAbsent(
          integer(entry.getAttribute("value")), resolved(entry.getAttribute("message")));
    }
    String mapName = element.getAttribute("name");
    maps.put(mapName, new EventMap(mapName, bits, entries));
  }

  private void addEvent(Element provider, Element event, @Nullable Element template) {
    String version = event.getAttribute("version");
    EventKey key =
        new EventKey(
            (int) integer(event.getAttribute("value")),
            version.isEmpty() ? 0 : (int) integer(version));
    List<FieldDescription> fields = template == null ? List.of() : fields(template);
    String symbol = event.getAttribute("symbol");
    String task = display(provider, "task", event.getAttribute("task"));
    String opcode = display(provider, "opcode", event.getAttribute("opcode"));
    String byTask = opcode.isEmpty() ? task : task + "/" + opcode;
    String eventName = symbol.isEmpty() ? byTask : symbol;
    events.put(key, new Event(eventName, byTask, resolved(event.getAttribute("message")), fields));
  }

  /** The text that a task or an opcode shows, else its name without {@code win:}. */
  private String display(Element provider, String kind, String reference) {
    for (Element element : below(provider, kind)) {
      if (element.getAttribute("name").equals(reference)) {
        String message = element.getAttribute("message");
        return message.isEmpty() ? reference : resolved(message);
      }
    }
    return reference.startsWith("win:") ? reference.substring(4) : reference;
  }

  private List<FieldDescription> fields(Element parent) {
    List<FieldDescription> out = new ArrayList<>();
    for (Element element : children(parent)) {
      if ("data".equals(element.getLocalName())) {
        out.add(data(element));
      } else if ("struct".equals(element.getLocalName())) {
        String own = element.getAttribute("name");
        out.add(counted(FieldDescription.struct(own, own, fields(element)), element));
      }
    }
    return out;
  }

  private FieldDescription data(Element element) {
    String own = element.getAttribute("name");
    String inName = plain(element.getAttribute("inType"));
    String outName = plain(element.getAttribute("outType"));
    int in = IN_TYPES.getOrDefault(inName, 0);
    DisplayFormat shown = DisplayFormat.ofTdh(OUT_TYPES.getOrDefault(outName, 0));
    FieldDescription made =
        FieldDescription.of(own, own, in, shown).map(maps.get(element.getAttribute("map")));
    String length = element.getAttribute("length");
    if (!length.isEmpty()) {
      made =
          Character.isDigit(length.charAt(0))
              ? made.length((int) integer(length), null)
              : made.length(-1, length);
    }
    return counted(made, element);
  }

  private static FieldDescription counted(FieldDescription field, Element element) {
    String count = element.getAttribute("count");
    if (count.isEmpty()) {
      return field;
    }
    if (!Character.isDigit(count.charAt(0))) {
      return field.count(FieldDescription.Count.FIELD, 0, count);
    }
    int number = (int) integer(count);
    return number == 1 ? field : field.count(FieldDescription.Count.FIXED, number, null);
  }

  private static String plain(String type) {
    return type.substring(type.indexOf(':') + 1).toLowerCase(Locale.ROOT);
  }

  private static Map<String, Integer> inTypes() {
    String[] names = {
      "null",
      "unicodestring",
      "ansistring",
      "int8",
      "uint8",
      "int16",
      "uint16",
      "int32",
      "uint32",
      "int64",
      "uint64",
      "float",
      "double",
      "boolean",
      "binary",
      "guid",
      "pointer",
      "filetime",
      "systemtime",
      "sid",
      "hexint32",
      "hexint64",
      "countedunicodestring",
      "countedansistring",
      "",
      "countedbinary",
    };
    Map<String, Integer> out = new HashMap<>();
    for (int i = 0; i < names.length; i++) {
      out.put(names[i], i);
    }
    return Map.copyOf(out);
  }

  private static Map<String, Integer> outTypes() {
    String[] names = {
      "",
      "string",
      "datetime",
      "byte",
      "unsignedbyte",
      "short",
      "unsignedshort",
      "int",
      "unsignedint",
      "long",
      "unsignedlong",
      "float",
      "double",
      "boolean",
      "guid",
      "hexbinary",
      "hexint8",
      "hexint16",
      "hexint32",
      "hexint64",
      "pid",
      "tid",
      "port",
      "ipv4",
      "ipv6",
      "socketaddress",
      "cimdatetime",
      "etwtime",
      "xml",
      "errorcode",
      "win32error",
      "ntstatus",
      "hresult",
      "datetimecultureinsensitive",
      "json",
      "utf8",
      "pkcs7withtypeinfo",
      "codepointer",
      "datetimeutc",
    };
    Map<String, Integer> out = new HashMap<>();
    for (int i = 1; i < names.length; i++) {
      out.put(names[i], i);
    }
    return Map.copyOf(out);
  }
}

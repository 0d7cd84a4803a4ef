package io.ntrail.formats.bytes;

import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Element of a small document: one that is held as a whole. Texts between elements are left out;
 * names are local, without namespaces.
 *
 * @param name of the element
 * @param attributes by their names
 * @param children in their order
 * @param line where it begins
 */
public record XmlElement(
    String name, Map<String, String> attributes, List<XmlElement> children, int line) {
  private static final int MOST_BYTES = 16 << 20;
  private static final int MOST_DEPTH = 64;

  /** Keeps the collections from changes. */
  public XmlElement {
    attributes = Map.copyOf(attributes);
    children = List.copyOf(children);
  }

  /**
   * Reads a document.
   *
   * @param xml in any encoding that XML has
   * @param file for messages
   * @return its root
   * @throws CannotGoOn if it is not XML, larger than 16 MiB or nested deeper than 64 elements; the
   *     message has the line
   */
  public static XmlElement read(byte[] xml, String file) {
    String problem = xml.length > MOST_BYTES ? ": larger than 16 MiB" : XmlText.problem(xml);
    if (!problem.isEmpty()) {
      throw new CannotGoOn(file + problem, "");
    }
    try {
      XMLStreamReader reader =
          XmlText.factory().createXMLStreamReader(new ByteArrayInputStream(xml));
      try {
        return root(reader, file);
      } finally {
        reader.close();
      }
    } catch (XMLStreamException e) {
      throw new CannotGoOn(file + XmlText.problem(e), "");
    } catch (RuntimeException e) {
      if (XmlText.isOfParser(e)) {
        throw new CannotGoOn(file + ": not XML: " + e.getMessage(), "");
      }
      throw e;
    }
  }

  private static XmlElement root(XMLStreamReader reader, String file) throws XMLStreamException {
    Optional<XmlElement> root = Optional.empty();
    while (reader.hasNext()) {
      int event = reader.next();
      if (event == XMLStreamConstants.DTD) {
        throw new CannotGoOn(
            "%s, line %d: document type declarations are not allowed"
                .formatted(file, reader.getLocation().getLineNumber()),
            "");
      }
      if (event == XMLStreamConstants.START_ELEMENT) {
        root = Optional.of(element(reader, file, 1));
      }
    }
    return root.orElseThrow(() -> new CannotGoOn(file + ": not XML: no element", ""));
  }

  private static XmlElement element(XMLStreamReader reader, String file, int depth)
      throws XMLStreamException {
    int line = reader.getLocation().getLineNumber();
    if (depth > MOST_DEPTH) {
      throw new CannotGoOn(
          "%s, line %d: nested deeper than %d elements".formatted(file, line, MOST_DEPTH), "");
    }
    String name = reader.getLocalName();
    Map<String, String> attributes = new LinkedHashMap<>();
    for (int i = 0; i < reader.getAttributeCount(); i++) {
      attributes.put(reader.getAttributeLocalName(i), reader.getAttributeValue(i).strip());
    }
    List<XmlElement> children = new ArrayList<>();
    for (int event = reader.next();
        event != XMLStreamConstants.END_ELEMENT;
        event = reader.next()) {
      if (event == XMLStreamConstants.START_ELEMENT) {
        children.add(element(reader, file, depth + 1));
      }
    }
    return new XmlElement(name, attributes, children, line);
  }

  /** Returns an attribute; empty if it is not there. */
  public String attribute(String attribute) {
    return attributes.getOrDefault(attribute, "");
  }

  /** Returns the children of a name. */
  public Stream<XmlElement> all(String child) {
    return children.stream().filter(one -> one.name.equals(child));
  }

  /** Returns the first child of a name. */
  public Optional<XmlElement> first(String child) {
    return all(child).findFirst();
  }
}

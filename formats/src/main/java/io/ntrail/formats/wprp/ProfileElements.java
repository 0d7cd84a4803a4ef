package io.ntrail.formats.wprp;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.XmlElement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Elements of a file of recording profiles by their ids, each with what it has from its bases.
 *
 * <p>Bounded: a chain of bases ends after 32 steps.
 */
final class ProfileElements {
  static final String VALUE = "Value";

  private static final int MOST_BASES = 32;

  private final String file;
  private final Map<String, XmlElement> byId = new HashMap<>();

  /** Elements of a file, whose name is for messages. */
  ProfileElements(String file) {
    this.file = file;
  }

  /** Adds an element and all in it: things may be defined inside of profiles, too. */
  void add(XmlElement element) {
    if (!element.attribute("Id").isEmpty()) {
      byId.putIfAbsent(element.name() + ' ' + element.attribute("Id"), element);
    }
    element.children().forEach(this::add);
  }

  /** Returns an element's name and line in words. */
  static String at(XmlElement element) {
    return "%s (line %d)".formatted(element.name(), element.line());
  }

  /** Returns a failure at an element. */
  CannotGoOn failure(XmlElement element, String what) {
    return new CannotGoOn("%s, line %d: %s".formatted(file, element.line(), what), "");
  }

  /** Returns an element and those that it is based on, the nearest first. */
  List<XmlElement> bases(XmlElement element) {
    List<XmlElement> bases = new ArrayList<>();
    XmlElement one = element;
    while (true) {
      bases.add(one);
      String base = one.attribute("Base");
      if (base.isEmpty()) {
        return bases;
      }
      XmlElement next = byId.get(element.name() + ' ' + base);
      if (next == null) {
        throw new CannotGoOn(
            "%s, line %d: base %s is not there, as those that WPR has built in are not"
                .formatted(file, one.line(), base),
            "wpr -start \"%s\" -filemode".formatted(file));
      }
      if (bases.size() >= MOST_BASES) {
        throw failure(one, "base %s leads round in circles".formatted(base));
      }
      one = next;
    }
  }

  /** Returns what an element is or refers to: SystemProvider for SystemProviderId. */
  Optional<XmlElement> find(XmlElement element) {
    String name = element.name();
    return name.endsWith("Id")
        ? Optional.ofNullable(byId.get(kind(element) + ' ' + element.attribute(VALUE)))
        : Optional.of(element);
  }

  /**
   * Returns what an element is or refers to.
   *
   * @throws CannotGoOn if it is not there
   */
  XmlElement target(XmlElement element) {
    return find(element)
        .orElseThrow(() ->
            failure(
                element, "%s %s is not there".formatted(kind(element), element.attribute(VALUE))));
  }

  private static String kind(XmlElement element) {
    return element.name().substring(0, element.name().length() - "Id".length());
  }

  /** Returns a reference, what it refers to, and the bases of that, the nearest first. */
  List<XmlElement> layers(XmlElement reference) {
    XmlElement target = target(reference);
    List<XmlElement> layers = new ArrayList<>(bases(target));
    if (!target.equals(reference)) {
      layers.addFirst(reference);
    }
    return layers;
  }

  /** Returns the nearest part of a name. */
  static Optional<XmlElement> part(List<XmlElement> layers, String name) {
    return layers.stream().flatMap(one -> one.all(name)).findFirst();
  }

  /** Returns what lists of a name hold, with what each adds to those below it, or takes away. */
  static List<XmlElement> list(List<XmlElement> layers, String name) {
    List<XmlElement> all = new ArrayList<>();
    for (XmlElement layer : layers.reversed()) {
      for (XmlElement list : layer.all(name).toList()) {
        switch (list.attribute("Operation")) {
          case "Add" -> all.addAll(list.children());
          case "Remove" ->
              all.removeIf(old ->
                  list.children().stream()
                      .anyMatch(gone ->
                          gone.name().equals(old.name())
                              && gone.attribute(VALUE).equals(old.attribute(VALUE))));
          default -> {
            all.clear();
            all.addAll(list.children());
          }
        }
      }
    }
    return all;
  }

  /** Returns the nearest value of an attribute; empty if there is none. */
  static String attribute(List<XmlElement> layers, String name) {
    return layers.stream()
        .map(one -> one.attribute(name))
        .filter(value -> !value.isEmpty())
        .findFirst()
        .orElse("");
  }

  /** Returns whether the nearest value of an attribute says so. */
  static boolean isTrue(List<XmlElement> layers, String name) {
    return List.of("true", "1").contains(attribute(layers, name));
  }

  /** Returns the number in an attribute; 0 if it is not there. */
  int number(XmlElement element, String attribute) {
    String text = element.attribute(attribute);
    if (text.isEmpty()) {
      return 0;
    }
    try {
      int number = Integer.parseInt(text);
      if (number >= 0) {
        return number;
      }
      throw failure(element, text + " is below 0");
    } catch (NumberFormatException e) {
      throw failure(element, text + " is no number, or too large a one");
    }
  }

  /** Returns the bits of a keyword of a provider. */
  long keyword(XmlElement element) {
    String text = element.attribute(VALUE);
    try {
      return text.regionMatches(true, 0, "0x", 0, 2)
          ? Long.parseUnsignedLong(text.substring(2), 16)
          : Long.parseUnsignedLong(text);
    } catch (NumberFormatException e) {
      throw failure(element, text + " is no keyword");
    }
  }
}

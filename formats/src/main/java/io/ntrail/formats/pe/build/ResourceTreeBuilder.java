package io.ntrail.formats.pe.build;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The resources of an image that is being built: a tree of types, names and languages. */
final class ResourceTreeBuilder {
  private static final int HEADER = 16;
  private static final int ENTRY = 8;
  private static final long SUBDIRECTORY = 0x8000_0000L;

  /** A name or a number; names come first, both in their order. */
  private record Key(String name, int id) implements Comparable<Key> {
    static Key of(String text) {
      return text.startsWith("#")
          ? new Key("", Integer.parseInt(text.substring(1)))
          : new Key(text, 0);
    }

    boolean isNamed() {
      return !name.isEmpty();
    }

    @Override
    public int compareTo(Key other) {
      if (isNamed() != other.isNamed()) {
        return isNamed() ? -1 : 1;
      }
      return isNamed() ? name.compareTo(other.name) : Integer.compare(id, other.id);
    }
  }

  private final TreeMap<Key, TreeMap<Key, TreeMap<Key, byte[]>>> types = new TreeMap<>();

  boolean isEmpty() {
    return types.isEmpty();
  }

  void add(String type, String name, int language, byte[] content) {
    types
        .computeIfAbsent(Key.of(type), key -> new TreeMap<>())
        .computeIfAbsent(Key.of(name), key -> new TreeMap<>())
        .put(new Key("", language), content.clone());
  }

  /** Directories first, level by level, then what they point to. */
  void write(PeSectionContent part) {
    List<String> strings = new ArrayList<>();
    List<byte[]> contents = new ArrayList<>();
    int directories = length(types);
    for (Map<Key, TreeMap<Key, byte[]>> names : types.values()) {
      directories += length(names);
      for (Map<Key, byte[]> languages : names.values()) {
        directories += length(languages);
        contents.addAll(languages.values());
      }
    }
    int stringsAt = directories + 16 * contents.size();
    Strings texts = new Strings(stringsAt, strings);
    int next = length(types);
    header(part, types);
    for (Map.Entry<Key, TreeMap<Key, TreeMap<Key, byte[]>>> type : types.entrySet()) {
      part.u32(texts.key(type.getKey())).u32(next | SUBDIRECTORY);
      next += length(type.getValue());
    }
    for (Map<Key, TreeMap<Key, byte[]>> names : types.values()) {
      header(part, names);
      for (Map.Entry<Key, TreeMap<Key, byte[]>> name : names.entrySet()) {
        part.u32(texts.key(name.getKey())).u32(next | SUBDIRECTORY);
        next += length(name.getValue());
      }
    }
    int leaf = directories;
    for (Map<Key, TreeMap<Key, byte[]>> names : types.values()) {
      for (Map<Key, byte[]> languages : names.values()) {
        header(part, languages);
        for (Key language : languages.keySet()) {
          part.u32(language.id).u32(leaf);
          leaf += 16;
        }
      }
    }
    for (int i = 0; i < contents.size(); i++) {
      part.rva("resource." + i).u32(contents.get(i).length).u32(0).u32(0);
    }
    strings.forEach(text -> part.u16(text.length()).utf16(text));
    for (int i = 0; i < contents.size(); i++) {
      part.align(8).label("resource." + i).bytes(contents.get(i));
    }
  }

  private static int length(Map<Key, ?> directory) {
    return HEADER + ENTRY * directory.size();
  }

  private static void header(PeSectionContent part, Map<Key, ?> directory) {
    long named = directory.keySet().stream().filter(Key::isNamed).count();
    part.u32(0).u32(0).u32(0).u16((int) named).u16((int) (directory.size() - named));
  }

  /** Assigns every name a place after the entries. */
  private static final class Strings {
    private final List<String> strings;
    private int next;

    Strings(int first, List<String> strings) {
      this.next = first;
      this.strings = strings;
    }

    long key(Key key) {
      if (!key.isNamed()) {
        return key.id;
      }
      int at = next;
      strings.add(key.name);
      next += 2 + 2 * key.name.length();
      return at | SUBDIRECTORY;
    }
  }
}

package io.ntrail.analysis.merge.names;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.merge.names.NameCollector.Role;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.collections.LongSet;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.schema.Field;
import io.ntrail.formats.schema.Payload;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The names in a recording that tell of a user, a machine or what is on it: accounts, machines,
 * domains, folders and files, words of command lines. Collected in one pass: from the fields of
 * described events by their meaning, from all other bytes as far as they are paths.
 *
 * <p>Base names of images and of their symbols stay, since functions are found by them, unless they
 * contain the name of an account, a machine or a domain.
 */
public final class PrivateNames {
  /** Texts that were looked at lately and are not looked at again. */
  private static final int MOST_KNOWN = 1 << 18;

  private static final int LEAST_RUN = 8;

  private static final Pattern BEYOND = Pattern.compile("[^ -~]+");

  /** An identity that is a part of more images than that is an ordinary word. */
  private static final int MOST_IMAGES = 7;

  private final NameCollector collector = new NameCollector();
  private final LongSet known = new LongSet();
  private final IdentityHashMap<Field, Role> roles = new IdentityHashMap<>();
  private final Events events;
  private final Counts counts;
  private final List<String> names;
  private final byte[] kinds;

  /**
   * Numbers of different names.
   *
   * @param identities of users, machines and domains
   * @param paths parts of paths
   * @param words of command lines
   * @param images base names of images, which stay
   */
  public record Counts(int identities, int paths, int words, int images) {}

  private PrivateNames(Events events, List<byte[]> added) {
    this.events = events;
    EtwRecording recording = events.recording();
    recording
        .files()
        .forEach(file ->
            file.header()
                .ifPresent(header -> {
                  collector.add(Role.PATH, header.logFileName());
                  collector.add(Role.FREE, header.sessionName());
                }));
    recording.fileNames().forEach(name -> collector.add(Role.PATH, name));
    recording.gaps().forEach(gap -> collector.add(Role.PATH, gap.file()));
    walk();
    for (byte[] record : added) {
      raw(Bytes.copyOf(record, "added"), 0, record.length);
    }
    Map<String, Byte> all = settled();
    this.names = List.copyOf(all.keySet());
    this.kinds = new byte[names.size()];
    int[] of = new int[4];
    for (int name = 0; name < kinds.length; name++) {
      kinds[name] = all.getOrDefault(names.get(name), (byte) 0);
      for (int bit = 0; bit < of.length; bit++) {
        of[bit] += kinds[name] >>> bit & 1;
      }
    }
    this.counts = new Counts(of[0], of[1], of[2], of[3]);
  }

  /**
   * Collects the names of a recording.
   *
   * @param added records that are to be added to it
   * @throws CannotGoOn if there are too many, or reading was stopped
   */
  public static PrivateNames of(Events events, List<byte[]> added) {
    return new PrivateNames(events, added);
  }

  private void walk() {
    RecordTexts texts = new RecordTexts(events.schemas());
    try (Events.Walk walk = events.walk(new EventFilter.Builder().build())) {
      while (walk.next()) {
        EventReader event = walk.event();
        RecordCursor record = event.record();
        texts.moveTo(record);
        boolean isText = false;
        for (int i = 0; i < texts.count(); i++) {
          isText |=
              texts.kind(i) == RecordTexts.Kind.UTF16 || texts.kind(i) == RecordTexts.Kind.BYTES;
          if (texts.kind(i) == RecordTexts.Kind.UNKNOWN) {
            raw(record.bytes(), record.offset() + texts.from(i), record.offset() + texts.to(i));
          }
        }
        if (isText) {
          described(event.payload());
        }
      }
    }
    // What was not read may have names that would then be left.
    events.recording().reading().mustGoOn();
  }

  private void described(Payload payload) {
    for (int i = 0; i < payload.size(); i++) {
      if (payload.token(i) == Payload.Token.VALUE) {
        Field field = payload.field(i);
        int from = payload.offset(i);
        int length = payload.length(i);
        switch (field.in()) {
          case UNICODE_STRING, COUNTED_STRING, REVERSED_COUNTED_STRING, UNTERMINATED_STRING ->
              text(field, payload.bytes().utf16(from, length / 2));
          case ANSI_STRING, COUNTED_ANSI, REVERSED_COUNTED_ANSI, UNTERMINATED_ANSI ->
              text(field, TextEncoding.decoded(payload.bytes().array(from, length)));
          default -> {
            // Numbers have no names; bytes were looked at as such.
          }
        }
      }
    }
  }

  private void text(Field field, String text) {
    Role role = roles.computeIfAbsent(field, its -> NameCollector.role(its.name(), its.out()));
    if (isNew(role, text)) {
      collector.add(role, text);
    }
  }

  private boolean isNew(Role role, String text) {
    long hash = role.ordinal();
    for (int i = 0; i < text.length(); i++) {
      hash = PseudonymTable.step(hash, text.charAt(i));
    }
    if (known.size() > MOST_KNOWN || roles.size() > MOST_KNOWN) {
      known.clear();
      roles.clear();
    }
    return known.add(hash);
  }

  /** Looks for texts in bytes of unknown meaning. */
  private void raw(Bytes bytes, int from, int to) {
    if (to - from < LEAST_RUN) {
      return;
    }
    byte[] data = bytes.array(from, to - from);
    runs(data, 0, 1);
    runs(data, 0, 2);
    runs(data, 1, 2);
  }

  private void runs(byte[] data, int start, int width) {
    int begin = start;
    boolean hasSlash = false;
    for (int at = start; at + width <= data.length; at += width) {
      int unit = width == 1 ? data[at] & 0xFF : data[at] & 0xFF | (data[at + 1] & 0xFF) << 8;
      boolean isText =
          unit >= ' ' && unit < 0x7F
              || unit >= 0x80 && (width == 1 || NameUnits.isWord((char) unit));
      if (isText) {
        hasSlash |= unit == '\\' || unit == '/' || unit == '=';
        continue;
      }
      run(data, begin, at, width, hasSlash);
      begin = at + width;
      hasSlash = false;
    }
    run(data, begin, data.length - (data.length - begin) % width, width, hasSlash);
  }

  private void run(byte[] data, int from, int to, int width, boolean hasSlash) {
    if (!hasSlash || (to - from) / width < LEAST_RUN) {
      return;
    }
    byte[] run = Arrays.copyOfRange(data, from, to);
    String text =
        width == 1 ? TextEncoding.decoded(run) : new String(run, StandardCharsets.UTF_16LE);
    boolean isOfCodePage = width == 1 && !Arrays.equals(text.getBytes(StandardCharsets.UTF_8), run);
    // Bytes by chance are no UTF-8; a path in a code page is known up to its first other letter.
    for (String one : isOfCodePage ? BEYOND.split(text, -1) : new String[] {text}) {
      if (one.length() >= LEAST_RUN && isNew(Role.RAW, one)) {
        collector.add(Role.RAW, one);
      }
    }
  }

  /** Returns all names in order with their kinds, the images that stay among them. */
  private Map<String, Byte> settled() {
    Map<String, Byte> all = new TreeMap<>(collector.names());
    Map<String, Integer> identities = new HashMap<>();
    Set<Integer> lengths = new TreeSet<>();
    all.forEach((name, kind) -> {
      if ((kind & PseudonymTable.IDENTITY) != 0) {
        identities.put(name, 0);
        lengths.add(name.length());
      }
    });
    for (String image : collector.images()) {
      parts(image, lengths, identities)
          .forEach(part -> identities.merge(part.name, 1, Integer::sum));
    }
    identities.forEach((name, count) -> {
      boolean isOrdinary = WellKnownNames.isInStructure(name) || count > MOST_IMAGES;
      if (isOrdinary || name.chars().noneMatch(Character::isLetter)) {
        all.merge(name, (byte) PseudonymTable.WORD_ONLY, (kind, more) -> (byte) (kind | more));
      }
    });
    for (String image : collector.images()) {
      if (parts(image, lengths, identities).stream()
          .noneMatch(part -> part.isFound(all.getOrDefault(part.name, (byte) 0)))) {
        all.put(image, (byte) PseudonymTable.KEPT);
      }
    }
    return all;
  }

  /** An identity in the name of an image. */
  private record Part(String name, boolean isWord) {
    boolean isFound(int kinds) {
      boolean isInWord =
          (kinds & PseudonymTable.WORD_ONLY) == 0 && name.length() >= PseudonymTable.LEAST_IN_WORD;
      return isInWord || isWord;
    }
  }

  private static List<Part> parts(
      String image, Set<Integer> lengths, Map<String, Integer> identities) {
    List<Part> parts = new ArrayList<>();
    for (int length : lengths) {
      for (int at = 0; at + length <= image.length(); at++) {
        String name = image.substring(at, at + length);
        if (identities.containsKey(name)) {
          int end = at + length;
          boolean isWord =
              (at == 0 || NameUnits.isBorder(image.charAt(at - 1), image.charAt(at)))
                  && (end == image.length()
                      || NameUnits.isBorder(image.charAt(end - 1), image.charAt(end)));
          parts.add(new Part(name, isWord));
        }
      }
    }
    return parts;
  }

  /** Returns the numbers of names. */
  public Counts counts() {
    return counts;
  }

  /**
   * Returns the accounts and machines whose names stay: they are words of Windows itself, without
   * which a recording cannot be read.
   */
  public List<String> left() {
    return List.copyOf(collector.readable());
  }

  /** Returns the names that are replaced, in lower case. */
  public List<String> replaced() {
    List<String> out = new ArrayList<>();
    for (int name = 0; name < kinds.length; name++) {
      if (kinds[name] != PseudonymTable.KEPT) {
        out.add(names.get(name));
      }
    }
    return out;
  }

  /** Returns the names that stay although they are parts of paths, in lower case. */
  public List<String> kept() {
    List<String> out = new ArrayList<>(names);
    out.removeAll(Set.copyOf(replaced()));
    return out;
  }

  PseudonymTable table() {
    return new PseudonymTable(names, kinds);
  }

  List<TextEncoding> pages() {
    return TextEncoding.pages(replaced());
  }

  RecordTexts texts() {
    return new RecordTexts(events.schemas());
  }
}

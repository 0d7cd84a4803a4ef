package io.ntrail.analysis.merge.names;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.merge.RecordRewriter;
import io.ntrail.analysis.merge.RecordingMerge;
import io.ntrail.analysis.merge.names.WrittenNames.Anonymous;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.schema.Payload;
import io.ntrail.formats.schema.ValueKind;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real recordings of other people's machines, with names that nobody made up for a test. */
class SharedNamesTest {
  /** Ends of names of image files and their symbols, which stay. */
  private static final Pattern IMAGE =
      Pattern.compile("\\.(?:exe|dll|sys|pdb|mui|drv|ocx|winmd|com)(?![\\p{L}\\p{Nd}])");

  private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{Nd}]{1,60}");
  private static final int LEAST = 5;

  @TempDir private Path folder;

  private static Events events(EtwRecording recording) {
    return Events.of(recording, new SchemaSources(UserSchemas.NONE), 1, Events.Learn.STACKS);
  }

  private static EtwRecording open(byte[] bytes, String name) {
    return EtwRecording.of(List.of(InputFile.of(bytes, name)));
  }

  /** Returns the texts of a file in all encodings. */
  private static List<String> texts(byte[] bytes) {
    List<String> out = new ArrayList<>();
    out.add(new String(bytes, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT));
    out.add(WrittenNames.wide(bytes, 0, true));
    out.add(WrittenNames.wide(bytes, 1, true));
    return out;
  }

  private static boolean isWord(String text, int at) {
    return at >= 0 && at < text.length() && Character.isLetterOrDigit(text.charAt(at));
  }

  /** Returns true if a place of a text is in the name of an image. */
  private static boolean isInImage(String text, int from, int to) {
    int begin = from;
    while (begin > 0 && isOfFile(text.charAt(begin - 1))) {
      begin--;
    }
    int end = to;
    while (end < text.length() && isOfFile(text.charAt(end))) {
      end++;
    }
    return IMAGE.matcher(text.substring(begin, end)).find();
  }

  private static boolean isOfFile(char unit) {
    return unit >= ' ' && "\\/\"".indexOf(unit) < 0;
  }

  /** Returns true if a text has a name between borders of words, and not in that of an image. */
  private static boolean has(String text, String name) {
    for (int at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
      int end = at + name.length();
      boolean isFree =
          !(isWord(text, at - 1) && isWord(text, at))
              && !(isWord(text, end - 1) && isWord(text, end));
      if (isFree && !isInImage(text, at, end)) {
        return true;
      }
    }
    return false;
  }

  /** Text with its words: what lacks one of a name's words need not be searched for the name. */
  private record Searched(String text, Set<String> words) {
    boolean has(String name, Set<String> itsWords) {
      return words.containsAll(itsWords) && SharedNamesTest.has(text, name);
    }
  }

  private static List<Searched> searched(byte[] bytes) {
    return texts(bytes).stream().map(text -> new Searched(text, words(text))).toList();
  }

  private static Set<String> words(String text) {
    Set<String> out = new HashSet<>();
    Matcher found = WORD.matcher(text);
    while (found.find()) {
      out.add(found.group());
    }
    return out;
  }

  /**
   * Returns the words of the paths of users in a recording: of their folders, by a plain search.
   */
  private static Set<String> users(byte[] bytes) {
    Set<String> out = new TreeSet<>();
    Pattern user = Pattern.compile("\\\\users\\\\([^\\\\/\"\0-\u001f:;*?<>|]{3,40})\\\\");
    for (String text : texts(bytes)) {
      Matcher found = user.matcher(text);
      while (found.find()) {
        if (!WellKnownNames.isNobody(found.group(1))) {
          out.add(found.group(1));
        }
      }
    }
    return out;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "perfview-net452-x64",
        "perfview-net45-x86-win7",
        "diaghub.kernel.1",
        "pyetw-out",
        "tx-CrossMachineHTTP",
        "tx-WsRm01",
        "s4-waasmedic.20251005_113019_195",
        "s4-CldFlt0",
        "sonde-test"
      })
  void noUserOfTheRecordingIsLeft(String name) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] before = TestData.gunzip("etl/" + name + ".etl.gz");
    // Buffers of the original are inflated by writing it without other names.
    byte[] inflated = copy(before, RecordRewriter.NONE);
    Anonymous after = WrittenNames.anonymous(before, name, 3, false, folder);
    List<String> texts = texts(after.bytes());
    for (String user : users(inflated)) {
      // A short one may be a part of other words.
      assertTrue(
          texts.stream()
              .noneMatch(text -> user.length() < LEAST ? has(text, user) : text.contains(user)),
          user);
    }
  }

  @Test
  void theMachineInTheUrlsOfAWebServerIsReplaced() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] before = TestData.gunzip("etl/tx-HTTP_Server.etl.gz");
    assertTrue(WrittenNames.holds(before, "http://georgis2:80/"));
    Anonymous after = WrittenNames.anonymous(before, "tx-HTTP_Server", 3, false, folder);
    assertFalse(WrittenNames.holds(after.bytes(), "georgis2"));
    assertTrue(WrittenNames.holds(after.bytes(), ":80/"));
  }

  private byte[] copy(byte[] bytes, RecordRewriter rewriter) throws IOException {
    Path to = folder.resolve("copy.etl");
    Files.deleteIfExists(to);
    try (EtwRecording recording = open(bytes, "copy");
        SeekableByteChannel channel =
            Files.newByteChannel(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      RecordingMerge.write(recording, channel, false, List.of(), rewriter);
    }
    return Files.readAllBytes(to);
  }

  @ParameterizedTest
  @ValueSource(strings = {"perfview-net452-x64", "perfview-net45-x86-win7", "diaghub.kernel.1"})
  void noNameThatWasFoundIsLeftOutsideOfDescriptions(String name) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] before = TestData.gunzip("etl/" + name + ".etl.gz");
    Anonymous after = WrittenNames.anonymous(before, name, 3, false, folder);
    List<Searched> texts = searched(after.bytes());
    List<Searched> descriptions = searched(WrittenNames.descriptions(after.bytes()));
    Set<String> left = new TreeSet<>();
    for (String one : after.names().replaced()) {
      Set<String> words = words(one);
      if (one.length() >= LEAST
          && descriptions.stream().noneMatch(text -> text.has(one, words))
          && texts.stream().anyMatch(text -> text.has(one, words))) {
        left.add(one);
      }
    }
    assertEquals(Set.of(), left);
    assertTrue(after.names().counts().paths() > 5, after.names().counts().toString());
  }

  /** Returns all numbers of a recording's events with their types, times, threads and stacks. */
  private static List<String> answers(EtwRecording recording) {
    List<String> out = new ArrayList<>();
    Events events = events(recording);
    try (Events.Walk walk =
        events.walkWithStacks(new EventFilter.Builder().build(), Long.MIN_VALUE, Long.MAX_VALUE)) {
      while (walk.next()) {
        EventReader event = walk.event();
        if (event.record().buffer() == 0) {
          continue;
        }
        StringBuilder line = new StringBuilder();
        line.append(event.nanos()).append(' ').append(event.type().identity());
        line.append(' ').append(event.record().threadId()).append(walk.hasStack());
        Payload payload = event.payload();
        for (int i = 0; i < payload.size(); i++) {
          line.append(' ').append(payload.length(i));
          boolean isNumber =
              payload.token(i) == Payload.Token.VALUE
                  && payload.field(i).kind() != ValueKind.TEXT
                  && payload.field(i).kind() != ValueKind.BINARY;
          if (isNumber) {
            line.append('=').append(payload.integer(i));
          }
        }
        out.add(line.toString());
      }
    }
    return out;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "perfview-net452-x64",
        "pyetw-out",
        "tx-Process",
        "sonde-test",
        "sawbuck-viewer-test_data_32_v2",
        "s4-WindowsUpdate.20251008.140245.443.8"
      })
  void allNumbersTimesAndStacksStay(String name) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] before = TestData.gunzip("etl/" + name + ".etl.gz");
    Anonymous after = WrittenNames.anonymous(before, name, 3, false, folder);
    try (EtwRecording old = open(before, name);
        EtwRecording now = open(after.bytes(), name)) {
      List<String> expected = answers(old);
      List<String> actual = answers(now);
      assertEquals(expected.size(), actual.size());
      for (int i = 0; i < expected.size(); i++) {
        assertEquals(expected.get(i), actual.get(i));
      }
      assertTrue(expected.size() > 5);
    }
  }

  /** Returns the base names of images with the number of their loads. */
  private static Map<String, Integer> images(EtwRecording recording) {
    Map<String, Integer> out = new TreeMap<>();
    Events events = events(recording);
    try (Events.Walk walk = events.walk(new EventFilter.Builder().build())) {
      while (walk.next()) {
        EventReader event = walk.event();
        int token =
            String.valueOf(event.type().event()).startsWith("Image/")
                ? event.payload().find("FileName")
                : -1;
        if (token >= 0) {
          String path = event.payload().text(token);
          out.merge(path.substring(path.lastIndexOf('\\') + 1), 1, Integer::sum);
        }
      }
    }
    return out;
  }

  @ParameterizedTest
  @ValueSource(strings = {"perfview-net452-x64", "perfview-net45-x86-win7", "pyetw-out"})
  void imagesKeepTheirBaseNames(String name) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] before = TestData.gunzip("etl/" + name + ".etl.gz");
    Anonymous after = WrittenNames.anonymous(before, name, 3, false, folder);
    try (EtwRecording old = open(before, name);
        EtwRecording now = open(after.bytes(), name)) {
      assertEquals(images(old), images(now));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"perfview-net452-x64", "perfview-net45-x86-win7"})
  void filesAreToldApartAsBefore(String name) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] before = TestData.gunzip("etl/" + name + ".etl.gz");
    Anonymous after = WrittenNames.anonymous(before, name, 3, false, folder);
    try (EtwRecording old = open(before, name);
        EtwRecording now = open(after.bytes(), name)) {
      List<String> were = files(old);
      List<String> are = files(now);
      assertEquals(were.size(), are.size());
      Map<String, String> pseudonyms = new HashMap<>();
      Set<String> used = new HashSet<>();
      for (int i = 0; i < were.size(); i++) {
        String known = pseudonyms.putIfAbsent(were.get(i), are.get(i));
        if (known == null) {
          assertTrue(used.add(are.get(i)), were.get(i));
        } else {
          assertEquals(known, are.get(i), were.get(i));
        }
      }
      assertTrue(pseudonyms.size() > 100, pseudonyms.size() + " files");
    }
  }

  /** Returns the paths of all events that name a file, in lower case. */
  private static List<String> files(EtwRecording recording) {
    List<String> out = new ArrayList<>();
    Events events = events(recording);
    try (Events.Walk walk = events.walk(new EventFilter.Builder().build())) {
      while (walk.next()) {
        int token = walk.event().payload().find("FileName");
        if (token >= 0) {
          out.add(walk.event().payload().text(token).toLowerCase(Locale.ROOT));
        }
      }
    }
    return out;
  }
}

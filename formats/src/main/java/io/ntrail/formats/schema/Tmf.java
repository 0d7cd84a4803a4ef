package io.ntrail.formats.schema;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.identity.Guid;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Trace message format: what {@code tracepdb} takes out of the symbols of a program with software
 * tracing (WPP). A line with GUID and component begins the messages of a source file; {@code #typev
 * PLACE NUMBER "MESSAGE" // NAME=VALUE ...} begins one, and its arguments follow in braces, a line
 * each: {@code name, ItemType -- 10}. Immutable.
 *
 * @param messages by GUID and number; of several with the same the first
 * @param problems what made no sense and was left out, with its line; no more than a hundred
 */
public record Tmf(Map<Key, Message> messages, List<String> problems) {
  private static final int MAX_PROBLEMS = 100;

  /** Argument numbers below are facts about the record. */
  private static final int FIRST_ARGUMENT = 10;

  /**
   * Key of a message, from its header.
   *
   * @param guid the message GUID
   * @param number the message number
   */
  public record Key(Guid guid, int number) {
    // Written out: what a record makes of itself at run time costs tens of milliseconds.
    @Override
    public boolean equals(Object other) {
      return other instanceof Key key && key.number == number && key.guid.equals(guid);
    }

    @Override
    public int hashCode() {
      return 31 * guid.hashCode() + number;
    }
  }

  /**
   * One message.
   *
   * @param component the program or driver
   * @param place source file and line, as the compiler made one word of them
   * @param facts what is after the message: {@code LEVEL}, {@code FLAGS}, {@code FUNC}, ...
   * @param schema the arguments, and the message with its inserts
   */
  public record Message(String component, String place, Map<String, String> facts, Schema schema)
      implements MessageText.Reserved {
    /** Keeps the order. */
    public Message {
      facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
    }

    /** Component, place and what is after the message; the rest only the record knows. */
    @Override
    public @Nullable String text(String name) {
      return switch (name) {
        case "1" -> component;
        case "2" -> place;
        default -> facts.get(name);
      };
    }
  }

  /** Keeps the order. */
  public Tmf {
    messages = Collections.unmodifiableMap(new LinkedHashMap<>(messages));
    problems = List.copyOf(problems);
  }

  /** One message; null if the text has no such one. */
  public @Nullable Message message(Guid guid, int number) {
    return messages.get(new Key(guid, number));
  }

  /**
   * Reads the text of one file.
   *
   * @param name of the file, for messages
   * @throws CannotGoOn if there is no message in it
   */
  public static Tmf parse(String text, String name) {
    Parser parser = new Parser(name);
    text.lines().forEach(parser::line);
    parser.end();
    if (parser.messages.isEmpty()) {
      throw new CannotGoOn(
          parser.problems.isEmpty()
              ? name + ": not a TMF file: no GUID line followed by #typev lines"
              : parser.problems.getFirst(),
          "");
    }
    return new Tmf(parser.messages, parser.problems);
  }

  private static final class Parser {
    private final String name;
    private final Map<Key, Message> messages = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();
    private int number;

    private @Nullable Guid guid;
    private String component = "";

    private @Nullable Key key;
    private String place = "";
    private String format = "";
    private Map<String, String> facts = Map.of();
    private final List<Field> fields = new ArrayList<>();

    /** Set after an argument that cannot be read: nothing after it can be found. */
    private boolean broken;

    Parser(String name) {
      this.name = name;
    }

    private void problem(String what) {
      if (problems.size() < MAX_PROBLEMS) {
        problems.add(name + ", line " + number + ": " + what);
      }
    }

    void line(String raw) {
      number++;
      String line = (number == 1 && raw.startsWith("\uFEFF") ? raw.substring(1) : raw).strip();
      if (line.isEmpty() || line.startsWith("//")) {
        return;
      }
      if (line.startsWith("#typev")) {
        end();
        type(line.substring(6).strip());
      } else if (line.equals("}")) {
        end();
      } else if (line.startsWith("{")) {
        return;
      } else if (key != null) {
        argument(line);
      } else {
        source(line);
      }
    }

    private void source(String line) {
      int blank = blankIn(line);
      try {
        guid = Guid.parse(line.substring(0, blank));
      } catch (IllegalArgumentException e) {
        if (!line.startsWith("#")) {
          problem("not a GUID, #typev or argument line");
        }
        return;
      }
      String rest = line.substring(blank).strip();
      component = rest.substring(0, blankIn(rest));
    }

    private static int blankIn(String text) {
      for (int i = 0; i < text.length(); i++) {
        if (Character.isWhitespace(text.charAt(i))) {
          return i;
        }
      }
      return text.length();
    }

    private void type(String line) {
      int open = line.indexOf('"');
      int behind = line.lastIndexOf("\" //");
      int close = behind >= 0 ? behind : line.lastIndexOf('"');
      Guid of = guid;
      if (open < 0 || close <= open || of == null) {
        problem(of == null ? "#typev before any GUID" : "#typev without a message in quotes");
        return;
      }
      String head = line.substring(0, open).strip();
      int blank = blankIn(head);
      try {
        int id = Integer.parseInt(head.substring(blank).strip());
        key = new Key(of, id);
      } catch (NumberFormatException e) {
        problem("#typev without a number");
        return;
      }
      place = head.substring(0, blank);
      format = line.substring(open + 1, close).replace("\\\"", "\"");
      facts = facts(line.substring(close + 1));
    }

    /** {@code // LEVEL=x FLAGS=y FUNC=z}. */
    private static Map<String, String> facts(String text) {
      Map<String, String> facts = new LinkedHashMap<>();
      for (String word : text.strip().split("\\s+", 32)) {
        int equals = word.indexOf('=');
        if (equals > 0) {
          facts.putIfAbsent(word.substring(0, equals), word.substring(equals + 1));
        }
      }
      return facts;
    }

    private void argument(String line) {
      if (broken) {
        return;
      }
      int comma = line.lastIndexOf(", Item");
      int dashes = line.lastIndexOf("--");
      if (comma < 0 || dashes < comma) {
        problem("not an argument: name, ItemType -- number");
        broken = true;
        return;
      }
      String type = line.substring(comma + 2, dashes).strip();
      Field field = TmfItemTypes.field(line.substring(0, comma).strip(), type);
      if (field == null) {
        problem("unknown type " + type);
        broken = true;
        return;
      }
      if (!line.substring(dashes + 2)
          .strip()
          .equals(Integer.toString(fields.size() + FIRST_ARGUMENT))) {
        problem("arguments out of order");
        broken = true;
        return;
      }
      fields.add(field);
    }

    void end() {
      Key done = key;
      if (done != null) {
        String function = facts.get("FUNC");
        Schema schema = new Schema(SchemaSource.TMF, component, function, format, fields);
        messages.putIfAbsent(done, new Message(component, place, facts, schema));
      }
      key = null;
      broken = false;
      fields.clear();
    }
  }
}

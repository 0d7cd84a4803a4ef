package io.ntrail.analysis.merge.names;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.schema.OutType;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Collects private names out of texts. One thread. */
final class NameCollector {
  /** Meanings of a text, which tell the names in it. */
  enum Role {
    /** Text that may have paths in it. */
    FREE,
    /** Bytes that look like text: only paths that begin with a drive or a root count. */
    RAW,
    /** Path, or name of a file. */
    PATH,
    /** Path or name of an image. */
    IMAGE,
    /** Command line. */
    COMMAND,
    /** Account. */
    USER,
    /** Machine. */
    MACHINE,
    /** Domain or workgroup. */
    DOMAIN,
    /** Path in the registry. */
    KEY
  }

  /** Names of a recording that are replaced at most. */
  static final int MOST_NAMES = 1 << 20;

  private static final long MOST_UNITS = 1L << 24;
  private static final int MOST_IDENTITY = 255;
  private static final int LEAST = 2;
  private static final int LEAST_DIGITS = 5;

  /** Names of machines before DNS end after so many characters. */
  private static final int NETBIOS = 15;

  private static final Set<String> USER_FIELDS =
      Set.of(
          "username",
          "user",
          "accountname",
          "logonuser",
          "logonname",
          "loginname",
          "login",
          "subjectusername",
          "targetusername",
          "samaccountname",
          "upn",
          "userprincipalname",
          "useraccount",
          "account",
          "owner",
          "ownername",
          "emailaddress",
          "email",
          "runasuser");

  private static final Set<String> MACHINE_FIELDS =
      Set.of(
          "computername",
          "computer",
          "machinename",
          "machine",
          "hostname",
          "host",
          "workstation",
          "workstationname",
          "servername",
          "server",
          "clientname",
          "clientmachine",
          "netbiosname",
          "dnshostname",
          "nodename",
          "remotemachine",
          "targetserver");

  private static final Set<String> DOMAIN_FIELDS =
      Set.of(
          "domainname",
          "userdomain",
          "domain",
          "subjectdomainname",
          "targetdomainname",
          "logondomain",
          "dnsdomain",
          "dnsdomainname",
          "accountdomain");

  private static final Set<String> IMAGE_FIELDS =
      Set.of(
          "imagefilename",
          "imagename",
          "processname",
          "modulename",
          "exename",
          "pdbfilename",
          "pdbname",
          "origfilename",
          "originalfilename",
          "applicationname");

  private static final Set<String> ENVIRONMENT_OF_USERS = Set.of("username", "user", "logname");
  private static final Set<String> ENVIRONMENT_OF_MACHINES =
      Set.of("computername", "logonserver", "hostname", "clientname");
  private static final Set<String> ENVIRONMENT_OF_DOMAINS =
      Set.of("userdomain", "userdnsdomain", "userdomain_roamingprofile");

  private static final Pattern ASSIGNMENT = Pattern.compile("\\b([A-Za-z_]{4,32})=([^\\r\\n;\"]+)");
  private static final Pattern ADDRESS = Pattern.compile("[0-9.:]+|[0-9a-f]*:[0-9a-f:.%]+");
  private static final Pattern WORDS = Pattern.compile("[\\s\"'=,;|()<>&\\\\]+");

  private final Map<String, Byte> kinds = new HashMap<>();
  private final Set<String> images = new HashSet<>();
  private final Set<String> readable = new TreeSet<>();
  private final PathNames paths = new PathNames(this);
  private long units;

  /** Returns the meaning of a field's text. */
  static Role role(String field, OutType out) {
    String name = field.toLowerCase(Locale.ROOT).replace("_", "");
    if (name.contains("commandline") || name.contains("cmdline") || name.contains("arguments")) {
      return Role.COMMAND;
    }
    if (IMAGE_FIELDS.contains(name)) {
      return Role.IMAGE;
    }
    if (USER_FIELDS.contains(name)) {
      return Role.USER;
    }
    if (MACHINE_FIELDS.contains(name)) {
      return Role.MACHINE;
    }
    if (DOMAIN_FIELDS.contains(name)) {
      return Role.DOMAIN;
    }
    if (name.contains("keyname") || name.contains("registry") || name.contains("keypath")) {
      return Role.KEY;
    }
    boolean isPath =
        out == OutType.PATH
            || name.contains("path")
            || name.contains("filename")
            || name.contains("directory")
            || name.contains("folder")
            || name.equals("file");
    return isPath ? Role.PATH : Role.FREE;
  }

  /** Collects the names of a text. */
  void add(Role role, String text) {
    for (String one : text.split("\0", -1)) {
      if (one.length() >= LEAST) {
        addOne(role, one);
      }
    }
  }

  private void addOne(Role role, String text) {
    switch (role) {
      case FREE, RAW -> {
        assignments(text);
        paths.find(text, role == Role.FREE);
      }
      case PATH -> paths.whole(text, false);
      case IMAGE -> paths.whole(text, true);
      case COMMAND -> command(text);
      case USER -> user(text.strip());
      case MACHINE -> machine(text.strip());
      case DOMAIN -> domain(text.strip());
      case KEY -> {
        // The keys are those of Windows and of programs; SIDs in them are found as such.
      }
    }
  }

  private void assignments(String text) {
    if (text.indexOf('=') < 0) {
      return;
    }
    ASSIGNMENT
        .matcher(text)
        .results()
        .forEach(found -> {
          String name = found.group(1).toLowerCase(Locale.ROOT);
          String value = found.group(2).strip();
          if (ENVIRONMENT_OF_USERS.contains(name)) {
            user(value);
          } else if (ENVIRONMENT_OF_MACHINES.contains(name)) {
            machine(value);
          } else if (ENVIRONMENT_OF_DOMAINS.contains(name)) {
            domain(value);
          }
        });
  }

  private void command(String text) {
    assignments(text);
    paths.find(text, true);
    String rest = afterProgram(text.strip());
    for (String word : WORDS.split(rest, -1)) {
      for (String part : parts(word)) {
        paths.file(part, PseudonymTable.COMMAND);
      }
    }
  }

  /** Returns the arguments of a command line. */
  private static String afterProgram(String text) {
    if (text.startsWith("\"")) {
      int close = text.indexOf('"', 1);
      return close < 0 ? "" : text.substring(close + 1);
    }
    int space = text.indexOf(' ');
    return space < 0 ? "" : text.substring(space);
  }

  /** Splits a word at the marks that options and paths have, but for one that begins it. */
  private static List<String> parts(String word) {
    int at = word.startsWith("/") ? 1 : 0;
    int colon = word.indexOf(':', at);
    int slash = word.indexOf('/', at);
    int sign = word.indexOf('@', at);
    if (colon < 0 && slash < 0 && sign < 0) {
      return List.of(word);
    }
    if (sign >= 0 && slash < 0 && colon < 0) {
      return List.of(word, word.substring(0, sign), word.substring(sign + 1));
    }
    return List.of(word.substring(at).split("[:/@]+"));
  }

  private static boolean isPath(String text) {
    return text.length() > MOST_IDENTITY || text.contains(":\\") || text.contains("/");
  }

  void user(String text) {
    if (isPath(text)) {
      paths.find(text, true);
      return;
    }
    int slash = text.indexOf('\\');
    int sign = text.indexOf('@');
    if (slash >= 0) {
      domain(text.substring(0, slash));
      identity(text.substring(slash + 1));
    } else if (sign > 0) {
      identity(text.substring(0, sign));
      domain(text.substring(sign + 1));
      identity(text);
    } else {
      identity(text);
    }
  }

  void machine(String text) {
    String name = text.replaceFirst("^\\\\+", "").replaceFirst("\\$$", "");
    if (isPath(name) || name.indexOf('\\') >= 0) {
      paths.find(text, true);
      return;
    }
    int dot = name.indexOf('.');
    if (ADDRESS.matcher(name).matches()) {
      return;
    }
    identity(name);
    if (dot > 0 && !name.startsWith("www.")) {
      identity(name.substring(0, dot));
      domain(name.substring(dot + 1));
    }
    if (name.length() > NETBIOS && dot < 0) {
      identity(name.substring(0, NETBIOS));
    }
  }

  private void domain(String text) {
    if (!isPath(text) && text.indexOf('\\') < 0 && !ADDRESS.matcher(text).matches()) {
      identity(text);
      int dot = text.indexOf('.');
      // Of a name like corp.example.com the first part is used alone, too.
      if (dot > 1 && text.indexOf('.', dot + 1) > 0) {
        identity(text.substring(0, dot));
      }
    }
  }

  private void identity(String text) {
    String folded = NameUnits.folded(text.strip());
    if (WellKnownNames.isNobody(folded) || !isName(folded) || folded.length() > MOST_IDENTITY) {
      return;
    }
    if (WellKnownNames.isStructure(folded)) {
      readable.add(folded);
    } else {
      put(folded, PseudonymTable.IDENTITY);
    }
  }

  /** Collects a folder, or a file's name without its extension, or a word of a command line. */
  void name(String text, int kind) {
    String folded = NameUnits.folded(text.strip());
    if (isName(folded) && !WellKnownNames.isFolder(folded) && !WellKnownNames.isNobody(folded)) {
      put(folded, kind);
    }
  }

  /** Collects the base name of an image, which stays. */
  void image(String text) {
    String folded = NameUnits.folded(text.strip());
    if (folded.length() >= LEAST && !images.contains(folded)) {
      count(folded);
      images.add(folded);
    }
  }

  private static boolean isName(String folded) {
    int digits = 0;
    int letters = 0;
    for (int i = 0; i < folded.length(); i++) {
      char unit = folded.charAt(i);
      if (NameUnits.isDigit(unit)) {
        digits++;
      } else if (NameUnits.isWord(unit)) {
        letters++;
      } else if (unit < ' ') {
        return false;
      }
    }
    return letters > 0 && letters + digits >= LEAST || digits >= LEAST_DIGITS;
  }

  private void put(String folded, int kind) {
    Byte known = kinds.get(folded);
    if (known == null) {
      count(folded);
    }
    kinds.put(folded, (byte) (known == null ? kind : known | kind));
  }

  private void count(String folded) {
    units += folded.length();
    if (kinds.size() + images.size() >= MOST_NAMES || units > MOST_UNITS) {
      throw new CannotGoOn(
          "this recording has more than %,d different names, more than can be replaced at once"
              .formatted(MOST_NAMES),
          "cut a shorter part of it");
    }
  }

  /** Returns the names that are replaced, folded, with their kinds. */
  Map<String, Byte> names() {
    return kinds;
  }

  /** Returns the base names of images, folded. */
  Set<String> images() {
    return images;
  }

  /** Returns the identities that stay, since nothing could be read without these words. */
  Set<String> readable() {
    return readable;
  }
}

package io.ntrail.cli.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Files, packages and classes that the documents name exist. */
class DocumentsTest {
  private static final Path ROOT = TestData.projectRoot();

  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)(?:#[^)]*)?\\)");

  private static final Pattern QUOTED = Pattern.compile("`([^`\n]+)`");

  /** A file or folder of the project. */
  private static final Pattern FILE =
      Pattern.compile("(?:\\./)?[\\w.-]+(?:/[\\w.-]+)+/?|\\./\\w+|\\w+\\.md");

  /** A class in camel case, after its package or not. */
  private static final Pattern TYPE = Pattern.compile("([a-z0-9.]+\\.)?([A-Z][a-z0-9]+\\w*)");

  private static final Pattern PACKAGE = Pattern.compile("[a-z0-9]+(?:\\.[a-z0-9]+)+");

  private static List<Path> documents() throws IOException {
    List<Path> found = new ArrayList<>();
    for (String folder : List.of(".", "docs", "benchmarks", "decisions")) {
      try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
        files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(found::add);
      }
    }
    return found;
  }

  /** Returns the folders whose files are named from the project's root. */
  private static Set<String> folders() throws IOException {
    Set<String> names = new TreeSet<>();
    try (Stream<Path> files = Files.list(ROOT)) {
      files.filter(Files::isDirectory).forEach(file -> names.add(file.getFileName() + ""));
    }
    names.remove("target");
    return names;
  }

  @Test
  void everyLinkLeadsToAFile() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path document : documents()) {
      for (Matcher link = LINK.matcher(Files.readString(document)); link.find(); ) {
        if (!Files.exists(document.resolveSibling(link.group(1)))) {
          broken.add(ROOT.relativize(document) + ": " + link.group(1));
        }
      }
    }
    assertEquals(List.of(), broken);
  }

  @Test
  void everyFileOfTheProjectThatIsNamedIsThere() throws IOException {
    Set<String> folders = folders();
    List<String> missing = new ArrayList<>();
    for (String name : List.of("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")) {
      for (String quoted : quoted(name)) {
        String path = quoted.split(" ", -1)[0];
        String first = path.replaceFirst("^\\./", "").replaceFirst("/.*", "");
        boolean named = path.startsWith("./") || path.endsWith(".md") || folders.contains(first);
        if (FILE.matcher(path).matches() && named && !Files.exists(ROOT.resolve(path))) {
          missing.add(name + ": " + path);
        }
      }
    }
    assertEquals(List.of(), missing);
  }

  @Test
  void everyClassAndPackageThatContributorsAreToldOfExists() throws IOException {
    Set<String> packages =
        House.read(Files.readString(ROOT.resolve("ARCHITECTURE.md"))).packages().keySet();
    Set<String> types = types();
    Set<String> modules = new TreeSet<>();
    packages.forEach(name -> modules.add(House.module(name)));
    List<String> unknown = new ArrayList<>();
    for (String quoted : quoted("CONTRIBUTING.md")) {
      Matcher type = TYPE.matcher(quoted);
      if (type.matches() && type.group(1) == null) {
        if (types.stream().noneMatch(name -> name.endsWith("." + quoted))) {
          unknown.add(quoted);
        }
      } else if (type.matches() && modules.contains(type.group(1).replaceFirst("\\..*", ""))) {
        if (!types.contains(House.ROOT + "." + quoted)) {
          unknown.add(quoted);
        }
      } else if (PACKAGE.matcher(quoted).matches()
          && modules.contains(quoted.replaceFirst("\\..*", ""))
          && !packages.contains(House.ROOT + "." + quoted)) {
        unknown.add(quoted);
      }
    }
    assertEquals(List.of(), unknown);
  }

  private static List<String> quoted(String document) throws IOException {
    List<String> found = new ArrayList<>();
    for (Matcher quoted = QUOTED.matcher(Files.readString(ROOT.resolve(document)));
        quoted.find(); ) {
      found.add(quoted.group(1));
    }
    assertTrue(found.size() > 5, document + " quotes " + found);
    return found;
  }

  /** Returns the full names of all top-level types, tests included. */
  private static Set<String> types() throws IOException {
    Set<String> names = new TreeSet<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module : modules.toList()) {
        for (String folder : List.of("src/main/java", "src/test/java")) {
          Path sources = module.resolve(folder);
          if (Files.isDirectory(sources)) {
            addTypes(sources, names);
          }
        }
      }
    }
    return names;
  }

  private static void addTypes(Path sources, Set<String> names) throws IOException {
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : files.toList()) {
        String name = sources.relativize(file).toString();
        if (name.endsWith(".java")) {
          names.add(name.substring(0, name.length() - 5).replace('\\', '.').replace('/', '.'));
        }
      }
    }
  }
}

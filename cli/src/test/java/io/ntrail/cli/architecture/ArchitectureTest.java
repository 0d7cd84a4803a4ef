package io.ntrail.cli.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** ARCHITECTURE.md and the compiled classes say the same. */
class ArchitectureTest {
  private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");

  private static House house() throws IOException {
    return House.read(Files.readString(TestData.projectRoot().resolve("ARCHITECTURE.md")));
  }

  /** Modules with sources of their own: lint compiles those of all others. */
  private static Set<String> modules() throws IOException {
    Set<String> modules = new TreeSet<>();
    String pom = Files.readString(TestData.projectRoot().resolve("pom.xml"));
    for (Matcher matcher = MODULE.matcher(pom); matcher.find(); ) {
      modules.add(matcher.group(1));
    }
    modules.remove("lint");
    return modules;
  }

  private static List<CompiledClass> classes(String module) throws IOException {
    Path folder = TestData.projectRoot().resolve(module).resolve("target/classes");
    List<CompiledClass> classes = new ArrayList<>();
    if (Files.isDirectory(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.toList()) {
          String name = String.valueOf(file.getFileName());
          boolean ours = name.endsWith(".class") && !file.toString().contains("jmh_generated");
          if (ours && !name.equals("module-info.class")) {
            classes.add(CompiledClass.read(Files.readAllBytes(file)));
          }
        }
      }
    }
    return classes;
  }

  @Test
  void theCodeFitsThePage() throws IOException {
    List<CompiledClass> all = new ArrayList<>();
    for (String module : modules()) {
      List<CompiledClass> classes = classes(module);
      // Built after this one: not there yet in a fresh checkout.
      assertTrue(
          !classes.isEmpty() || module.equals("benchmarks"), "module " + module + " not compiled");
      all.addAll(classes);
    }
    List<String> findings = Rules.check(house(), all);
    assertEquals("", String.join("\n", findings));
  }

  /** Returns the sources of all modules by path, without modules that have no such folder. */
  private static Map<String, String> sources(String folder) throws IOException {
    Map<String, String> sources = new TreeMap<>();
    Path root = TestData.projectRoot();
    for (String module : modules()) {
      Path start = root.resolve(module).resolve(folder);
      if (Files.isDirectory(start)) {
        try (Stream<Path> files = Files.walk(start)) {
          for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
            String path = root.relativize(file).toString().replace('\\', '/');
            sources.put(path, Files.readString(file));
          }
        }
      }
    }
    return sources;
  }

  @Test
  void packagesAndClassesAreSmall() throws IOException {
    Map<String, String> sources = sources("src/main/java");
    List<String> findings = SourceRules.check(sources, house().exceptions());
    assertEquals("", String.join("\n", findings));
  }

  @Test
  void commentsOfTestsSayWhatAThingIs() throws IOException {
    List<String> findings = new ArrayList<>();
    sources("src/test/java")
        .forEach((path, text) -> {
          // Its own test quotes bad examples.
          if (!path.endsWith("/SourceRulesTest.java")) {
            findings.addAll(SourceRules.comments(path, text));
          }
        });
    assertEquals("", String.join("\n", findings));
  }

  @Test
  void thePageHasEveryModule() throws IOException {
    Set<String> listed =
        house().packages().keySet().stream()
            .map(House::module)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(modules(), listed, "modules in pom.xml, modules in ARCHITECTURE.md");
  }

  @Test
  void theTypesWorthKnowingExist() throws IOException {
    Set<String> names = new TreeSet<>();
    for (String module : modules()) {
      classes(module)
          .forEach(type -> names.add(type.name().substring(type.name().lastIndexOf('.') + 1)));
    }
    String page = Files.readString(TestData.projectRoot().resolve("ARCHITECTURE.md"));
    String table = page.substring(page.indexOf("| type "), page.indexOf("\n## The path"));
    Matcher type = Pattern.compile("(?m)^\\| `(\\w+)`").matcher(table);
    while (type.find()) {
      assertTrue(names.contains(type.group(1)), "ARCHITECTURE.md lists " + type.group(1));
    }
  }
}

package io.ntrail.cli.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/** {@code ntrail pt recipe}: names and nesting are those of WPR's published schema. */
class PtRecipeTest {
  @TempDir private Path folder;

  private Document profile(Object... options) throws Exception {
    Path file = folder.resolve("trace.wprp");
    List<Object> words = new ArrayList<>(List.of("pt", "recipe", "-o", file));
    words.addAll(List.of(options));
    Cli.Result result = Cli.run(words.toArray());
    assertEquals(0, result.exit(), result.err());
    byte[] bytes = Files.readAllBytes(file);
    assertEquals('<', bytes[0]);
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(bytes));
  }

  private static List<Element> children(Node node) {
    List<Element> children = new ArrayList<>();
    for (Node child = node.getFirstChild(); child != null; child = child.getNextSibling()) {
      if (child instanceof Element element) {
        children.add(element);
      }
    }
    return children;
  }

  private static List<String> names(Node node) {
    return children(node).stream().map(Element::getTagName).toList();
  }

  private static Element only(Document document, String name) {
    assertEquals(1, document.getElementsByTagName(name).getLength(), name);
    return (Element) document.getElementsByTagName(name).item(0);
  }

  private static List<String> values(Element parent) {
    return children(parent).stream().map(child -> child.getAttribute("Value")).toList();
  }

  @Test
  void elementsAreInTheOrderOfTheSchema() throws Exception {
    Document document = profile();
    Element root = document.getDocumentElement();
    assertEquals("WindowsPerformanceRecorder", root.getTagName());
    assertEquals("1.0", root.getAttribute("Version"));
    assertEquals(
        List.of("SystemCollector", "SystemProvider", "HardwareCounter", "Profile", "Profile"),
        names(only(document, "Profiles")));
    Element collector = only(document, "SystemCollector");
    assertEquals("NT Kernel Logger", collector.getAttribute("Name"));
    assertEquals(List.of("BufferSize", "Buffers"), names(collector));
    // The order of the published example.
    assertEquals(
        List.of("BufferSize", "CodeMode", "Events"), names(only(document, "ProcessorTrace")));
  }

  @Test
  void profilesAreNamedAsWprDemands() throws Exception {
    Document document = profile();
    List<String> ids = new ArrayList<>();
    for (Element profile : children(only(document, "Profiles"))) {
      if (profile.getTagName().equals("Profile")) {
        assertEquals(
            profile.getAttribute("Name")
                + "."
                + profile.getAttribute("DetailLevel")
                + "."
                + profile.getAttribute("LoggingMode"),
            profile.getAttribute("Id"));
        ids.add(profile.getAttribute("Id"));
        Element collector = children(children(profile).get(1)).getFirst();
        assertEquals(List.of("SystemProviderId", "HardwareCounterId"), names(collector));
        assertEquals(
            List.of(
                only(document, "SystemProvider").getAttribute("Id"),
                only(document, "HardwareCounter").getAttribute("Id")),
            values(collector));
        assertEquals(
            only(document, "SystemCollector").getAttribute("Id"), collector.getAttribute("Value"));
      }
    }
    assertEquals(List.of("ProcessorTrace.Verbose.File", "ProcessorTrace.Verbose.Memory"), ids);
  }

  @ParameterizedTest
  @CsvSource({"user, User, 4", "kernel, Kernel, 8", "both, UserKernel, 32"})
  void ringAndCodeModeAreThoseAskedFor(String mode, String word, String ring) throws Exception {
    Element trace = only(profile("--mode", mode, "--ring", ring), "ProcessorTrace");
    assertEquals(List.of(ring, word, ""), values(trace));
  }

  @Test
  void eventsHaveTheirSpellingAndWhatTurnsThemOn() throws Exception {
    Document document = profile("-e", "systemcallexit,CSwitch", "-e", "RegistrySetValue");
    Element events = children(only(document, "ProcessorTrace")).getLast();
    assertEquals(List.of("SystemCallExit", "CSwitch", "RegistrySetValue"), values(events));
    assertEquals(
        List.of("ProcessThread", "Loader", "CSwitch", "SystemCall", "Registry"),
        values(only(document, "Keywords")));
  }

  @Test
  void commandsNameTheFile() {
    Path file = folder.resolve("my trace.wprp");
    String text = Cli.run("pt", "recipe", "-o", file).out();
    assertTrue(text.contains("wpr -start \"my trace.wprp!ProcessorTrace\" -filemode"), text);
    assertFalse(text.contains("<"), text);
    assertTrue(text.contains("administrators"), text);
    assertTrue(text.contains("build 17134"), text);
    assertTrue(text.contains("Hyper-V"), text);
    assertTrue(text.contains("one user at a time"), text);
    assertTrue(text.contains("CPUID leaf 7, EBX bit 25"), text);
  }

  @Test
  void withoutFileTheProfileIsOnTheScreen() throws Exception {
    profile("--ring", "8");
    String text = Cli.run("pt", "recipe", "--ring", "8").out();
    assertTrue(text.contains(Files.readString(folder.resolve("trace.wprp"))), text);
  }

  @Test
  void anEventThatNothingIsKnownToTurnOnIsTold() {
    String text = Cli.run("pt", "recipe", "-e", "ExecutiveResource,Mark").out();
    assertTrue(text.contains("No keyword is known that turns on ExecutiveResource: add"), text);
  }

  @Test
  void namesThatWprDoesNotHaveAreRefusedWithTheNearest() {
    Cli.Result result = Cli.run("pt", "recipe", "-e", "SyscallExit");
    assertEquals(2, result.exit());
    assertTrue(result.err().contains("no kernel event SyscallExit"), result.err());
    assertTrue(result.err().contains("try: ntrail pt recipe -e SystemCallExit"), result.err());
  }

  @ParameterizedTest
  @CsvSource({
    "pt recipe --ring 5, 'takes 4, 8, 16 or 32'",
    "pt recipe --mode all, 'takes user, kernel or both'",
    "pt recipe trace.etl, reads no file",
    "pt recipe --count, is of questions about a stream",
    "pt recipe -n 3, is of questions about a stream",
    "pt packets trace.pt --ring 4, is of pt recipe",
    "pt flow trace.pt --mode user, is of pt recipe"
  })
  void optionsThatWouldChangeNothingAreRefused(String command, String why) {
    Cli.Result result = Cli.run((Object[]) command.split(" "));
    assertEquals(2, result.exit());
    assertTrue(result.err().contains(why), result.err());
  }
}

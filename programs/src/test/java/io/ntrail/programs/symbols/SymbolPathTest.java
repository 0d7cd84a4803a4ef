package io.ntrail.programs.symbols;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.programs.symbols.SymbolPath.Cache;
import io.ntrail.programs.symbols.SymbolPath.Chain;
import io.ntrail.programs.symbols.SymbolPath.Element;
import io.ntrail.programs.symbols.SymbolPath.Folder;
import io.ntrail.programs.symbols.SymbolPath.Host;
import io.ntrail.programs.symbols.SymbolPath.Store;
import io.ntrail.testkit.Property;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Parsing of symbol paths. */
class SymbolPathTest {
  private static final Store.Local DEFAULT = local("/home/me/sym");
  private static final Store.Http SERVER = http("https://symbols.example/download");

  private static Host host(boolean windows, Map<String, String> variables) {
    return new Host(windows, variables::get, Path.of("/home/me"));
  }

  private static SymbolPath read(String text) {
    return SymbolPath.parse(text, host(false, Map.of()));
  }

  private static Store.Local local(String path) {
    return new Store.Local(Path.of(path));
  }

  private static Store.Http http(String address) {
    return new Store.Http(URI.create(address));
  }

  private static void means(String text, Element... elements) {
    SymbolPath path = read(text);
    assertEquals(List.of(elements), path.elements());
    assertEquals(List.of(), path.problems());
  }

  private static void isRefused(String text, String why) {
    SymbolPath path = read(text + ";/rest");
    assertEquals(List.of(new Folder(Path.of("/rest"))), path.elements());
    assertEquals(1, path.problems().size(), path.problems()::toString);
    assertTrue(path.problems().getFirst().contains(why), path.problems().getFirst());
  }

  @Test
  void foldersAreSearchedInTheirOrder() {
    means("/a;/b/c;d", folder("/a"), folder("/b/c"), folder("d"));
  }

  private static Folder folder(String path) {
    return new Folder(Path.of(path));
  }

  @Test
  void anEmptyTextHasNoElements() {
    means("");
    means(" ; ;; ");
  }

  @Test
  void blanksAroundElementsAndStoresAreTrimmed() {
    means(
        "  /a b ; srv* /l  * /r ;cache* /c ",
        folder("/a b"),
        new Chain(List.of(local("/l"), local("/r"))),
        new Cache(local("/c")));
  }

  @Test
  void storesOfAChainAreSearchedInTheirOrder() {
    means(
        "srv*/l*/m*https://symbols.example/download",
        new Chain(List.of(local("/l"), local("/m"), SERVER)));
  }

  @Test
  void severalServersMayEndAChain() {
    means(
        "srv*/l*https://symbols.example/download*http://b",
        new Chain(List.of(local("/l"), SERVER, http("http://b"))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "srv*/l*/r",
        "SRV*/l*/r",
        "symsrv*symsrv.dll*/l*/r",
        "SymSrv*SYMSRV.DLL*/l*/r",
        "symsrv*/opt/debugger/symsrv.dll*/l*/r",
        "symsrv*C:\\debugger\\symsrv.dll*/l*/r"
      })
  void keywordsHaveNoCaseAndSrvIsShort(String text) {
    means(text, new Chain(List.of(local("/l"), local("/r"))));
  }

  @Test
  void anEmptyStoreIsTheDefaultOne() {
    means("srv**/r", new Chain(List.of(DEFAULT, local("/r"))));
    means("srv*/l**/r", new Chain(List.of(local("/l"), DEFAULT, local("/r"))));
    means("srv*/l*", new Chain(List.of(local("/l"), DEFAULT)));
    means("srv*", new Chain(List.of(DEFAULT)));
    means("symsrv*symsrv.dll", new Chain(List.of(DEFAULT)));
    means("cache*", new Cache(DEFAULT));
  }

  @Test
  void aStoreOfAChainIsSearchedOnce() {
    means("srv***", new Chain(List.of(DEFAULT)));
    means("srv*/l*/r*/l", new Chain(List.of(local("/l"), local("/r"))));
  }

  @Test
  void theDefaultStoreIsInTheDebuggersHome() {
    SymbolPath path =
        SymbolPath.parse("srv*", host(false, Map.of("DBGHELP_HOMEDIR", "/opt/debugger")));
    assertEquals(List.of(new Chain(List.of(local("/opt/debugger/sym")))), path.elements());
    assertEquals(Path.of("/opt/debugger/sym"), path.defaultStore());
  }

  @Test
  void aDebuggersHomeOfWindowsIsPassedOverElsewhere() {
    SymbolPath path = SymbolPath.parse("srv*", host(false, Map.of("DBGHELP_HOMEDIR", "C:\\dbg")));
    assertEquals(DEFAULT.path(), path.defaultStore());
    assertEquals(List.of("DBGHELP_HOMEDIR: C:\\dbg is a Windows path"), path.problems());
  }

  @Test
  void aServerAloneKeepsItsFilesInTheDefaultStore() {
    means("srv*https://symbols.example/download", new Chain(List.of(DEFAULT, SERVER)));
  }

  @Test
  void aServerAloneKeepsItsFilesInACacheBeforeIt() {
    means(
        "cache*/c;srv*https://symbols.example/download",
        new Cache(local("/c")),
        new Chain(List.of(SERVER)));
  }

  @Test
  void aCacheAfterAServerDoesNotServeIt() {
    means(
        "srv*https://symbols.example/download;cache*/c",
        new Chain(List.of(DEFAULT, SERVER)),
        new Cache(local("/c")));
  }

  @Test
  void anAddressAloneIsAServer() {
    means("https://symbols.example/download", new Chain(List.of(DEFAULT, SERVER)));
  }

  @Test
  void aFolderMayBeCalledLikeAKeyword() {
    means("srv;cache;symsrv", folder("srv"), folder("cache"), folder("symsrv"));
  }

  @ParameterizedTest
  @CsvSource({
    "symsrv*other.dll*/l,         'other.dll; only symsrv.dll is supported'",
    "symsrv*,                     has no DLL after symsrv*",
    "what*/l,                     'what* is not srv*, symsrv* or cache*'",
    "cache*/a*/b,                 has more than one folder after cache*",
    "cache*https://a/b,           would cache files on a server",
    "srv*ftp://a/b,               an unsupported URL scheme (only http and https)",
    "https://,                    is not a server URL",
    "srv*https://a b/c,           is not a server URL",
    "srv*C:\\symbols,             C:\\symbols is a Windows path",
    "C:/symbols,                  C:/symbols is a Windows path",
    "d:,                          d: is a Windows path",
    "\\\\server\\share,           \\\\server\\share is a Windows path",
    "srv*symbols\\here,           symbols\\here is a Windows path",
  })
  void unusableElementsAreReportedAndTheRestIsUsed(String text, String why) {
    isRefused(text, why);
  }

  @Test
  void aNameWithAZeroIsNotAPathAndIsPrintedWithoutIt() {
    isRefused("/a\0b", "/a?b is not a valid path on this system");
  }

  @Test
  void oneUnusableStoreLeavesTheOthersOfItsChain() {
    SymbolPath path = read("srv*C:\\l*/r*https://symbols.example/download");
    assertEquals(List.of(new Chain(List.of(local("/r"), SERVER))), path.elements());
    assertEquals(List.of("C:\\l is a Windows path"), path.problems());
  }

  @Test
  void aServerWhoseFolderIsUnusableGetsTheDefaultStore() {
    SymbolPath path = read("srv*C:\\l*https://symbols.example/download");
    assertEquals(List.of(new Chain(List.of(DEFAULT, SERVER))), path.elements());
  }

  @Test
  void onWindowsItsPathsAreUsed() {
    SymbolPath path =
        SymbolPath.parse(
            "srv*C:\\l*\\\\server\\share;D:\\build",
            host(true, Map.of("DBGHELP_HOMEDIR", "C:\\dbg")));
    assertEquals(
        List.of(
            new Chain(List.of(local("C:\\l"), local("\\\\server\\share"))), folder("D:\\build")),
        path.elements());
    assertEquals(List.of(), path.problems());
  }

  @Test
  void namesBetweenPercentSignsStandForTheirValues() {
    Host host = host(false, Map.of("ROOT", "/r", "MORE", "/x;srv*/y", "A", "%ROOT%"));
    assertEquals(
        List.of(folder("/r/sub"), folder("/x"), new Chain(List.of(local("/y"))), folder("%ROOT%")),
        SymbolPath.parse("%ROOT%/sub;%MORE%;%A%", host).elements());
  }

  @Test
  void aNameThatMeansNothingStays() {
    Host host = host(false, Map.of("ROOT", "/r"));
    assertEquals(
        List.of(folder("%NO%/a"), folder("50%"), folder("%NO/r")),
        SymbolPath.parse("%NO%/a;50%;%NO%ROOT%", host).elements());
  }

  @Test
  void theOtherVariableComesAfterTheFirst() {
    assertEquals(
        List.of(folder("/a"), folder("/b")),
        SymbolPath.ofEnvironment(
                host(false, Map.of("_NT_ALT_SYMBOL_PATH", "/b", "_NT_SYMBOL_PATH", "/a")))
            .elements());
    assertEquals(
        List.of(folder("/b")),
        SymbolPath.ofEnvironment(host(false, Map.of("_NT_ALT_SYMBOL_PATH", "/b"))).elements());
    assertEquals(List.of(), SymbolPath.ofEnvironment(host(false, Map.of())).elements());
  }

  @Test
  void everyElementIsUsedOrRefusedWhateverItsNeighboursAre() {
    List<String> parts =
        List.of(
            "srv*", "/a", "*", "", " ", "cache*", "C:\\x", "https://h/p", "%V%", "symsrv*", "?");
    Property.check(g -> {
      List<String> elements =
          g.list(6, each -> String.join("", each.list(5, p -> parts.get(p.below(parts.size())))));
      SymbolPath whole = read(String.join(";", elements));
      int used = 0;
      int refused = 0;
      for (String element : elements) {
        SymbolPath alone = read(element);
        used += alone.elements().size();
        refused += alone.problems().size();
        assertFalse(
            alone.elements().isEmpty() && alone.problems().isEmpty() && !element.isBlank(),
            element);
      }
      assertEquals(used, whole.elements().size());
      assertEquals(refused, whole.problems().size());
    });
  }
}

package io.ntrail.formats.wprp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.wprp.RecordingProfile.Ids;
import io.ntrail.formats.wprp.RecordingProfile.Kernel;
import io.ntrail.formats.wprp.RecordingProfile.Memory;
import io.ntrail.formats.wprp.RecordingProfile.StackCache;
import io.ntrail.formats.wprp.RecordingProfile.State;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Profiles of WPR; names and nesting are those of Microsoft's pages of its elements. */
class WprpFileTest {
  private static final String HEAD =
      """
      <?xml version="1.0" encoding="utf-8"?>
      <WindowsPerformanceRecorder Version="1.0"><Profiles>
      <SystemCollector Id="SC" Name="NT Kernel Logger">
        <BufferSize Value="512"/><Buffers Value="80"/><StackCaching BucketCount="256"/>
      </SystemCollector>
      <EventCollector Id="EC" Name="Events"><BufferSize Value="64"/></EventCollector>
      <SystemProvider Id="Base">
        <Keywords><Keyword Value="ProcessThread"/><Keyword Value="Loader"/></Keywords>
        <Stacks><Stack Value="ProcessCreate"/></Stacks>
      </SystemProvider>
      <SystemProvider Id="Cpu" Base="Base">
        <Keywords Operation="Add"><Keyword Value="SampledProfile"/></Keywords>
        <Stacks Operation="Set"><Stack Value="SampledProfile"/></Stacks>
      </SystemProvider>
      <EventProvider Id="Dns" Name="Microsoft-Windows-DNS-Client" Level="4" Stack="true">
        <Keywords><Keyword Value="0x8000000000000001"/><Keyword Value="0x10"/></Keywords>
        <EventFilters FilterIn="true"><EventId Value="3006"/><EventId Value="3008"/></EventFilters>
        <StackFilters FilterIn="false"><EventId Value="3008"/></StackFilters>
      </EventProvider>
      <EventProvider Id="Source" Name="*My-EventSource"/>
      """;

  private static final String COUNTERS =
      """
      <HardwareCounter Id="HC" Strict="true">
        <SampledCounters><SampledCounter Value="CacheMisses" Interval="65536"/></SampledCounters>
        <Counters><Counter Value="TotalIssues"/></Counters>
        <Events><Event Value="CSwitch"/></Events>
        <LastBranch>
          <Events><Event Value="SampledProfile"/></Events>
          <LastBranchFilters><LastBranchFilterOut Value="Kernel"/></LastBranchFilters>
        </LastBranch>
      </HardwareCounter>
      """;

  private static final String FILE_PROFILE =
      """
      <Profile Id="All.Verbose.File" Name="All" LoggingMode="File" DetailLevel="Verbose">
        <Collectors>
          <SystemCollectorId Value="SC">
            <Buffers Value="96"/>
            <SystemProviderId Value="Cpu"/><HardwareCounterId Value="HC"/>
          </SystemCollectorId>
          <EventCollectorId Value="EC"><EventProviders>
            <EventProviderId Value="Dns"/><EventProviderId Value="Source"/>
          </EventProviders></EventCollectorId>
        </Collectors>
      </Profile>
      """;

  private static final String MEMORY_PROFILE =
      """
      <Profile Id="All.Verbose.Memory" Name="All" LoggingMode="Memory" DetailLevel="Verbose"
        Base="All.Verbose.File"/>
      """;

  private static final String TAIL = "</Profiles></WindowsPerformanceRecorder>";

  private static WprpFile file(String... parts) {
    String text = HEAD + String.join("", parts) + TAIL;
    return WprpFile.read(text.getBytes(StandardCharsets.UTF_8), "a.wprp");
  }

  private static RecordingProfile all() {
    return file(COUNTERS, FILE_PROFILE, MEMORY_PROFILE).profile("all");
  }

  @Test
  void theKernelLogsWhatItsProviderAndItsBasesSay() {
    assertEquals(
        Optional.of(
            new Kernel(
                new Memory(512, 96, 0, false),
                List.of("ProcessThread", "Loader", "SampledProfile"),
                List.of("SampledProfile"),
                Map.of("CacheMisses", 65536),
                List.of("TotalIssues"),
                List.of("CSwitch"),
                List.of("SampledProfile"),
                List.of("Kernel"),
                Optional.of(new StackCache(0, 256)),
                List.of(),
                false)),
        all().system());
    assertEquals(List.of(), all().ignored());
  }

  @Test
  void providersHaveLevelKeywordsStacksAndFilters() {
    assertEquals(
        List.of(
            new RecordingProfile.Provider(
                "Microsoft-Windows-DNS-Client",
                4,
                0x8000_0000_0000_0011L,
                4,
                Optional.of(new Ids(true, List.of(3006, 3008))),
                Optional.of(new Ids(false, List.of(3008))),
                "",
                false,
                State.NONE),
            new RecordingProfile.Provider(
                "*My-EventSource",
                0,
                0,
                0,
                Optional.empty(),
                Optional.empty(),
                "",
                false,
                State.NONE)),
        all().providers());
  }

  /** Elements as Microsoft's pages have them in their examples. */
  @Test
  void heapsTagsStatesAndProcessorTraceAreRead() {
    RecordingProfile profile =
        file("""
        <SystemCollector Id="S" Name="NT Kernel Logger"/>
        <HeapEventCollector Id="H" Name="Heaps"/><EventCollector Id="E" Name="Events"/>
        <SystemProvider Id="P"><Keywords><Keyword Value="Pool"/></Keywords>
          <PoolTags><PoolTag Value="Ntff"/><PoolTag Value="b*"/></PoolTags></SystemProvider>
        <EventProvider Id="sample-provider" Name="SampleProvider" Level="5">
          <Keywords><Keyword Value="0x98"/></Keywords>
          <CaptureStateOnStart><Keyword Value="0xff4"/></CaptureStateOnStart>
          <CaptureStateOnSave><Keyword Value="0x118"/></CaptureStateOnSave></EventProvider>
        <EventProvider Id="Dwm" Name="e7ef96be-969f-414f-97d7-3ddb7b558ccc"
          CaptureStateOnly="true"/>
        <HeapEventProvider Id="Base_Heap_Provider"/>
        <HeapEventProvider Base="Base_Heap_Provider" Id="Derived_Heap_Provider">
          <HeapProcessIds Operation="Set"><HeapProcessId Value="2314"/></HeapProcessIds>
        </HeapEventProvider>
        <HardwareCounter Id="PT"><ProcessorTrace><BufferSize Value="16"/>
          <CodeMode Value="User"/><Events><Event Value="CSwitch"/></Events>
        </ProcessorTrace></HardwareCounter>
        <Profile Id="M.Verbose.File" Name="M" LoggingMode="File" DetailLevel="Verbose">
        <Collectors>
          <SystemCollectorId Value="S"><SystemProviderId Value="P"/>
            <HardwareCounterId Value="PT"/></SystemCollectorId>
          <HeapEventCollectorId Value="H"><HeapEventProviders>
            <HeapEventProviderId Value="Derived_Heap_Provider"/>
            <HeapEventProviderId Value="Base_Heap_Provider">
              <HeapProcessIds><HeapProcessId Value="77"/></HeapProcessIds>
            </HeapEventProviderId></HeapEventProviders></HeapEventCollectorId>
          <EventCollectorId Value="E"><EventProviders>
            <EventProviderId Value="sample-provider"/>
            <EventProviderId Value="Dwm">
              <CaptureStateOnSave><Keyword Value="0x80000"/></CaptureStateOnSave>
            </EventProviderId></EventProviders></EventCollectorId>
        </Collectors></Profile>
        """)
            .profile("M");
    assertEquals(List.of("Ntff", "b*"), profile.system().orElseThrow().poolTags());
    assertTrue(profile.system().orElseThrow().hasProcessorTrace());
    assertEquals(Optional.of(List.of(2314, 77)), profile.heaps());
    assertEquals(
        List.of(
            new State(false, OptionalLong.of(0xFF4), OptionalLong.of(0x118)),
            new State(true, OptionalLong.empty(), OptionalLong.of(0x80000))),
        profile.providers().stream().map(RecordingProfile.Provider::state).toList());
    assertEquals(List.of(), profile.ignored());
  }

  @Test
  void ofProfilesOfOneNameThatInAFileIsTakenAndAnyByItsId() {
    assertEquals("All.Verbose.File", all().id());
    WprpFile both = file(COUNTERS, MEMORY_PROFILE, FILE_PROFILE);
    assertEquals("All.Verbose.File", both.profile("").id());
    RecordingProfile memory = both.profile("all.verbose.memory");
    assertTrue(memory.inMemory());
    assertEquals(all().providers(), memory.providers());
  }

  @Test
  void whatIsRemovedFromABaseIsGone() {
    String less =
        """
        <Profile Id="Less.Verbose.File" Name="Less" LoggingMode="File" DetailLevel="Verbose">
          <Collectors><SystemCollectorId Value="SC"><SystemProvider Id="L" Base="Cpu">
            <Keywords Operation="Remove"><Keyword Value="Loader"/></Keywords>
          </SystemProvider></SystemCollectorId></Collectors>
        </Profile>
        """;
    assertEquals(
        List.of("ProcessThread", "SampledProfile"),
        file(less).profile("Less").system().orElseThrow().keywords());
  }

  private static String derived(String lists) {
    return """
    <Profile Id="D.Verbose.File" Name="D" LoggingMode="File" DetailLevel="Verbose"
      Base="All.Verbose.File">%s</Profile>
    """
        .formatted(lists);
  }

  /** Lists of published profiles, which take a collector from their base and add another. */
  @Test
  void ofSeveralListsEachIsTaken() {
    String other =
        derived(
            """
            <Collectors Operation="Remove"><SystemCollectorId Value="SC"/></Collectors>
            <Collectors Operation="Add"><SystemCollectorId Value="SC">
              <SystemProvider Id="O"><Keywords><Keyword Value="CSwitch"/>
                <CustomKeyword Value="0x20000200"/></Keywords></SystemProvider>
            </SystemCollectorId></Collectors>
            """);
    RecordingProfile profile = file(COUNTERS, FILE_PROFILE, other).profile("D");
    Kernel kernel = profile.system().orElseThrow();
    assertEquals(List.of("CSwitch", "0x20000200"), kernel.keywords());
    assertEquals(Map.of(), kernel.sampled());
    assertEquals(2, profile.providers().size());
  }

  @Test
  void whatIsAddedToACollectorOfTheBaseIsRecordedBesideIt() {
    String more =
        derived(
            """
            <Collectors Operation="Add">
              <SystemCollectorId Value="SC"><SystemProvider Id="M">
                <Keywords><Keyword Value="CSwitch"/></Keywords>
              </SystemProvider></SystemCollectorId>
              <EventCollectorId Value="EC"><EventProviders><EventProvider Id="Again"
                Name="microsoft-windows-dns-client" Level="5" Strict="true">
                <Keywords><Keyword Value="0x100"/></Keywords></EventProvider></EventProviders>
              </EventCollectorId>
            </Collectors>
            """);
    RecordingProfile profile = file(COUNTERS, FILE_PROFILE, more).profile("D");
    assertEquals(
        List.of("ProcessThread", "Loader", "SampledProfile", "CSwitch"),
        profile.system().orElseThrow().keywords());
    assertEquals(1, profile.collectors());
    // Windows would keep what the second asks for alone.
    RecordingProfile.Provider both = profile.providers().getFirst();
    assertEquals(
        new RecordingProfile.Provider(
            "Microsoft-Windows-DNS-Client",
            5,
            0x8000_0000_0000_0111L,
            4,
            Optional.empty(),
            Optional.empty(),
            "",
            true,
            State.NONE),
        both);
  }

  @Test
  void memoryAndFilesAreThoseOfTheCollectors() {
    RecordingProfile profile =
        file("""
        <EventCollector Id="A" Name="A"><BufferSize Value="64"/><Buffers Value="32"/>
          <MaximumFileSize Value="256" FileMode="Circular"/></EventCollector>
        <EventCollector Id="B" Name="B"><BufferSize Value="256"/><Buffers Value="20"/>
        </EventCollector>
        <Profile Id="R" Name="R" LoggingMode="File" DetailLevel="Light"><Collectors>
          <EventCollectorId Value="A"/><EventCollectorId Value="B"/>
        </Collectors></Profile>
        """)
            .profile("R");
    // 32 of 64 KiB and 20 of 256 KiB are 28 of 256 KiB.
    assertEquals(new Memory(256, 28, 256, true), profile.memory());
  }

  @Test
  void attributesAreTakenOrNamed() {
    RecordingProfile profile =
        file("""
        <EventCollector Id="A" Name="A" FileName="a.etl" Private="true" Secure="false"/>
        <EventProvider Id="P" Name="P" SID="true" TSID="1" EventKey="true" NonPagedMemory="true"
          ProcessExeFilter="shop.exe" Strange="yes"/>
        <Profile Id="R" Name="R" LoggingMode="File" DetailLevel="Light"><Collectors>
          <EventCollectorId Value="A"><EventProviders><EventProviderId Value="P"/></EventProviders>
          </EventCollectorId>
          <SystemCollectorId Value="SystemCollector_WPRSystemCollectorInFile">
            <SystemProviderId Value="Base"/></SystemCollectorId>
        </Collectors></Profile>
        """)
            .profile("R");
    assertEquals(0x103, profile.providers().getFirst().properties());
    assertEquals("shop.exe", profile.providers().getFirst().programs());
    String ignored = profile.ignored().toString().replaceAll("line \\d+", "L");
    assertEquals(
        "[Private of EventCollector (L), Strange of EventProvider (L),"
            + " collector SystemCollector_WPRSystemCollectorInFile, which is not in the file (L)]",
        ignored);
    assertEquals(List.of("ProcessThread", "Loader"), profile.system().orElseThrow().keywords());
  }

  @Test
  void whatIsNotUnderstoodIsNamedWithItsLine() {
    String more =
        """
        <Profile Id="H.Verbose.File" Name="H" LoggingMode="File" DetailLevel="Verbose">
          <Collectors>
            <NewCollectorId Value="New"/>
            <EventCollectorId Value="EC"><Buffers Value="3" PercentageOfTotalMemory="true"/>
              <EventProviders><EventProvider Id="P" Name="X">
                <CaptureStateSometimes><Keyword Value="0x1"/></CaptureStateSometimes>
              </EventProvider></EventProviders></EventCollectorId>
          </Collectors>
        </Profile>
        """;
    List<String> ignored = file(more).profile("H").ignored();
    assertEquals(3, ignored.size(), ignored.toString());
    assertTrue(ignored.getFirst().matches("NewCollectorId \\(line \\d+\\)"));
    assertTrue(ignored.get(1).startsWith("Buffers as a share of the memory"));
    assertTrue(ignored.getLast().startsWith("CaptureStateSometimes"));
  }

  @Test
  void aReferenceToWhatIsNotThereIsRefusedWithItsLine() {
    WprpFile file = file(FILE_PROFILE);
    String message = assertThrows(CannotGoOn.class, () -> file.profile("All")).message();
    assertTrue(message.matches("a\\.wprp, line \\d+: HardwareCounter HC is not there"), message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1048577", "2147483648", "-1", "much"})
  void aSizeThatNoCacheHasIsRefusedWithItsLine(String size) {
    String cached =
        """
        <SystemCollector Id="S" Name="NT Kernel Logger"><StackCaching CacheSize="%s"/></SystemCollector>
        <Profile Id="A" Name="A"><Collectors><SystemCollectorId Value="S"/></Collectors></Profile>
        """
            .formatted(size);
    WprpFile file = file(cached);
    String message = assertThrows(CannotGoOn.class, () -> file.profile("A")).message();
    assertTrue(message.matches("a\\.wprp, line \\d+: .*"), message);
  }

  @Test
  void basesThatLeadInCirclesAreRefused() {
    String round =
        """
        <Profile Id="A" Name="A" Base="B"/><Profile Id="B" Name="B" Base="A"/>
        """;
    WprpFile file = file(round);
    String message = assertThrows(CannotGoOn.class, () -> file.profile("A")).message();
    assertTrue(message.contains("leads round in circles"), message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "no XML",
        "<a/>",
        "<WindowsPerformanceRecorder><Profiles/></WindowsPerformanceRecorder>",
        "<!DOCTYPE a [<!ENTITY x 'y'>]><WindowsPerformanceRecorder/>",
        "<WindowsPerformanceRecorder><Profiles><Profile></Profiles>",
      })
  void whatIsNoProfileIsRefused(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    CannotGoOn refused = assertThrows(CannotGoOn.class, () -> WprpFile.read(bytes, "a.wprp"));
    assertTrue(refused.message().startsWith("a.wprp"), refused.message());
  }

  @Test
  void elementsThatAreNestedTooDeepAreRefused() {
    byte[] deep = ("<a>".repeat(65) + "</a>".repeat(65)).getBytes(StandardCharsets.UTF_8);
    CannotGoOn refused = assertThrows(CannotGoOn.class, () -> WprpFile.read(deep, "a.wprp"));
    assertFalse(refused.message().contains("no recording profile"), refused.message());
    assertTrue(refused.message().contains("deeper than 64"), refused.message());
  }

  @Test
  void anUnknownNameIsAnsweredWithTheProfilesThatThereAre() {
    WprpFile file = file(FILE_PROFILE);
    String message = assertThrows(CannotGoOn.class, () -> file.profile("Al")).message();
    assertEquals("a.wprp has no profile Al; it has All.Verbose.File", message);
  }
}

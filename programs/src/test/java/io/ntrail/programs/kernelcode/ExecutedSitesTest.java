package io.ntrail.programs.kernelcode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.unicorn.UnicornMachine;
import io.ntrail.testkit.unicorn.UnicornRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Every site of real drivers, executed by Unicorn in the file's form and in each form that a kernel
 * gives it: the path is the one that the table of the forms tells, and what is called is the same
 * function with the same registers.
 */
class ExecutedSitesTest {
  @SuppressWarnings("unused")
  static final List<String> FILES = DriverSample.FILES;

  private static final long BASE = DriverSample.BASE;
  private static final long STACK = 0x7000_0000L;
  private static final long STACK_SIZE = 0x10000;
  private static final int RAX = 0;
  private static final int R10 = 10;
  private static final int GENERAL = 16;
  private static final int PAGE = 0x1000;

  /** No path has more instructions. */
  private static final int MOST = 16;

  @TempDir Path folder;

  private UnicornMachine machine;

  @BeforeEach
  void startMachine() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Optional<UnicornMachine> started = UnicornMachine.in(folder, 64);
    assumeTrue(started.isPresent(), UnicornMachine.MISSING);
    machine = started.get();
  }

  @AfterEach
  void endMachine() throws IOException {
    if (machine != null) {
      machine.close();
    }
  }

  /** An executed instruction with the registers before it. */
  @SuppressWarnings("ArrayRecordComponent") // compared by its parts
  private record Step(long address, long[] registers) {}

  /** Everything that ran from a site on. */
  private record Execution(List<Step> steps, long ip, long stack) {
    List<Long> addresses() {
      return steps.stream().map(Step::address).toList();
    }

    /** The registers at the first instruction of what was called. */
    long[] at(long target) {
      return steps.stream()
          .filter(step -> step.address == target)
          .findFirst()
          .orElseThrow()
          .registers;
    }
  }

  @ParameterizedTest
  @FieldSource("FILES")
  void everySiteReachesTheSameFunctionOnThePathOfItsVariant(String file) throws IOException {
    DriverSample driver = DriverSample.of(file);
    List<ExpectedSite> sites = driver.sites();
    List<List<Execution>> executions = new ArrayList<>();
    for (CodeVariant variant : CodeVariant.values()) {
      load(driver, driver.code(variant).space());
      List<Execution> ran = new ArrayList<>();
      for (ExpectedSite site : sites) {
        ran.add(execute(driver, site));
      }
      executions.add(ran);
    }
    for (int i = 0; i < sites.size(); i++) {
      ExpectedSite site = sites.get(i);
      Execution inFile = executions.getFirst().get(i);
      for (CodeVariant variant : CodeVariant.values()) {
        Execution here = executions.get(variant.ordinal()).get(i);
        assertEquals(
            expected(driver, site, variant).addresses(),
            here.addresses(),
            () -> driver.name() + " " + variant + " " + site.line());
        assertSameEffect(driver, site, inFile, here, variant);
      }
    }
    assertVariantsDiffer(driver, sites, executions);
  }

  /** A variant that is not the one that ran shows at every site that it rewrites otherwise. */
  private static void assertVariantsDiffer(
      DriverSample driver, List<ExpectedSite> sites, List<List<Execution>> executions) {
    for (int i = 0; i < sites.size(); i++) {
      ExpectedSite site = sites.get(i);
      for (CodeVariant one : CodeVariant.values()) {
        for (CodeVariant other : CodeVariant.values()) {
          boolean isSame =
              Arrays.equals(
                  driver.rewritten(site, one).orElse(new byte[0]),
                  driver.rewritten(site, other).orElse(new byte[0]));
          if (!isSame) {
            assertNotEquals(
                expected(driver, site, one).addresses(),
                executions.get(other.ordinal()).get(i).addresses(),
                () -> driver.name() + " " + one + " for " + other + " " + site.line());
          }
        }
      }
    }
  }

  private static void assertSameEffect(
      DriverSample driver,
      ExpectedSite site,
      Execution inFile,
      Execution here,
      CodeVariant variant) {
    long target = target(driver, site);
    long[] wanted = inFile.at(target).clone();
    long[] found = here.at(target).clone();
    if (site.symbol() == 3 && driver.rewritten(site, variant).isPresent()) {
      assertEquals(target, found[R10], site::line);
      found[R10] = wanted[R10];
    }
    assertEquals(
        Arrays.toString(wanted),
        Arrays.toString(found),
        () -> driver.name() + " " + variant + " " + site.line());
    assertEquals(inFile.ip, here.ip, site::line);
    assertEquals(inFile.stack, here.stack, site::line);
  }

  private static SitePath expected(DriverSample driver, ExpectedSite site, CodeVariant variant) {
    boolean isRewritten = driver.rewritten(site, variant).isPresent();
    boolean isDirect =
        site.symbol() == 3 && DriverSample.known(site.number()).filter(site::isDirect).isPresent();
    boolean isRegister = site.symbol() == 3 && !isDirect && variant == CodeVariant.IMPORT_REGISTER;
    return SitePath.of(
        site,
        BASE,
        isRewritten,
        isDirect || isRegister,
        isRegister ? 3 : 5,
        BASE + driver.page(),
        dispatcher(driver),
        target(driver, site));
  }

  /** Code of the dispatcher of control flow guard: behind the retpoline page. */
  private static long dispatcher(DriverSample driver) {
    return BASE + driver.page() + PAGE;
  }

  /** The function that a site calls: of imports the one in their slot, else one of the test. */
  private static long target(DriverSample driver, ExpectedSite site) {
    return site.symbol() == 3
        ? BASE + DriverSample.content(site.number())
        : dispatcher(driver) + 0x100;
  }

  /** Puts a driver into the machine, with its slots filled. */
  private void load(DriverSample driver, AddressSpace space) throws IOException {
    machine.reset(64);
    machine.map(BASE, driver.page() + 2 * PAGE);
    long at = BASE;
    long end = BASE + driver.page() + PAGE;
    while (at < end) {
      at += space.missingFrom(at, (int) (end - at));
      Bytes piece = space.readUpTo(at, (int) Math.max(0, end - at));
      machine.write(at, piece.array(0, piece.length()));
      at += piece.length();
    }
    machine.map(STACK, STACK_SIZE);
    // The dispatcher goes where rax says; every function only returns.
    machine.write(dispatcher(driver), new byte[] {(byte) 0xFF, (byte) 0xE0});
    machine.write(dispatcher(driver) + 0x100, new byte[] {(byte) 0xC3});
    pointer(BASE + driver.dispatcher(), dispatcher(driver));
    List<Integer> imports =
        driver.sites().stream()
            .filter(site -> site.symbol() == 3)
            .map(ExpectedSite::number)
            .distinct()
            .sorted()
            .toList();
    for (long region : List.of(DriverSample.content(0), DriverSample.content(1) & -PAGE)) {
      machine.map(BASE + region, 16 * PAGE);
      byte[] returns = new byte[16 * PAGE];
      Arrays.fill(returns, (byte) 0xC3);
      machine.write(BASE + region, returns);
    }
    for (int index : imports) {
      pointer(BASE + driver.slot(index), BASE + DriverSample.content(index));
    }
  }

  private void pointer(long address, long value) throws IOException {
    byte[] bytes = new byte[8];
    LittleEndian.putU64(bytes, 0, value);
    machine.write(address, bytes);
  }

  private Execution execute(DriverSample driver, ExpectedSite site) throws IOException {
    long start = BASE + site.rva();
    // The caller of a function that ends with a jump, never executed.
    long caller = dispatcher(driver) + 0x200;
    long stack = STACK + STACK_SIZE / 2;
    long[] registers = new long[GENERAL];
    for (int i = 0; i < GENERAL; i++) {
      registers[i] = 0x1111_1111_1111L * (i + 1);
    }
    registers[UnicornMachine.SP] = stack;
    if (site.symbol() != 3) {
      registers[site.symbol() == 5 ? site.number() : RAX] = target(driver, site);
    }
    pointer(stack, caller);
    machine.setRegisters(registers, new long[0]);
    List<Step> steps = new ArrayList<>();
    UnicornRun run =
        new UnicornRun(
            start,
            site.call() ? start + site.length() : caller,
            0,
            0,
            MOST,
            0,
            UnicornRun.ADDRESSES | UnicornRun.REGISTERS);
    UnicornRun.End end =
        machine.run(
            run,
            new UnicornRun.Listener() {
              @Override
              public void instruction(long address, long[] general, long[] vectors) {
                steps.add(new Step(address, general.clone()));
              }
            });
    assertEquals(
        UnicornRun.Reason.UNTIL, end.reason(), () -> driver.name() + " " + site.line() + " " + end);
    return new Execution(steps, end.ip(), machine.register(UnicornMachine.SP));
  }
}

package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names of codes, against values that Microsoft's documentation pages show. */
class StatusCodesTest {
  private final StatusCodes codes = new StatusCodes();

  private static int hex(String code) {
    return Integer.parseUnsignedInt(code, 16);
  }

  @ParameterizedTest
  @CsvSource({
    "00000000, STATUS_SUCCESS",
    "00000080, STATUS_ABANDONED",
    "000000C0, STATUS_USER_APC",
    "00000102, STATUS_TIMEOUT",
    "00000103, STATUS_PENDING",
    "00000104, STATUS_REPARSE",
    "40010003, DBG_TERMINATE_THREAD",
    "80000005, STATUS_BUFFER_OVERFLOW",
    "80000006, STATUS_NO_MORE_FILES",
    "8000001A, STATUS_NO_MORE_ENTRIES",
    "C0000005, STATUS_ACCESS_VIOLATION",
    "C000000D, STATUS_INVALID_PARAMETER",
    "C0000011, STATUS_END_OF_FILE",
    "C0000022, STATUS_ACCESS_DENIED",
    "C0000023, STATUS_BUFFER_TOO_SMALL",
    "C0000034, STATUS_OBJECT_NAME_NOT_FOUND",
    "C0000043, STATUS_SHARING_VIOLATION",
    "C000009A, STATUS_INSUFFICIENT_RESOURCES",
    "C00000BB, STATUS_NOT_SUPPORTED",
    "C00000FD, STATUS_STACK_OVERFLOW",
    "C0000120, STATUS_CANCELLED",
    "C0000135, STATUS_DLL_NOT_FOUND",
    "C000013A, STATUS_CONTROL_C_EXIT",
    "C0000142, STATUS_DLL_INIT_FAILED",
    "C0000225, STATUS_NOT_FOUND",
    "C0000374, STATUS_HEAP_CORRUPTION",
    "C0000409, STATUS_STACK_BUFFER_OVERRUN",
    "C01C0011, STATUS_FLT_INSTANCE_ALTITUDE_COLLISION",
    "C000CF18, STATUS_CLOUD_FILE_ACCESS_DENIED",
  })
  void aStatusHasTheNameOfTheHeader(String code, String name) {
    assertEquals(name, codes.ntStatus(hex(code)));
  }

  @ParameterizedTest
  @CsvSource({
    "0, ERROR_SUCCESS",
    "2, ERROR_FILE_NOT_FOUND",
    "5, ERROR_ACCESS_DENIED",
    "14, ERROR_OUTOFMEMORY",
    "32, ERROR_SHARING_VIOLATION",
    "87, ERROR_INVALID_PARAMETER",
    "122, ERROR_INSUFFICIENT_BUFFER",
    "183, ERROR_ALREADY_EXISTS",
    "258, WAIT_TIMEOUT",
    "259, ERROR_NO_MORE_ITEMS",
    "700, ERROR_IMAGE_NOT_AT_BASE",
    "995, ERROR_OPERATION_ABORTED",
    "997, ERROR_IO_PENDING",
    "1168, ERROR_NOT_FOUND",
    "1223, ERROR_CANCELLED",
    "1460, ERROR_TIMEOUT",
    "1722, RPC_S_SERVER_UNAVAILABLE",
    "2221, NERR_UserNotFound",
    "4201, ERROR_WMI_INSTANCE_NOT_FOUND",
    "9003, DNS_ERROR_RCODE_NAME_ERROR",
    "10054, WSAECONNRESET",
    "10060, WSAETIMEDOUT",
    "12002, ERROR_INTERNET_TIMEOUT",
    "14001, ERROR_SXS_CANT_GEN_ACTCTX",
    "15007, ERROR_EVT_CHANNEL_NOT_FOUND",
  })
  void aWin32ErrorHasTheNameOfTheHeader(int code, String name) {
    assertEquals(name, codes.win32(code));
  }

  @ParameterizedTest
  @CsvSource({
    "00000000, S_OK",
    "00000001, S_FALSE",
    "80004001, E_NOTIMPL",
    "80004002, E_NOINTERFACE",
    "80004003, E_POINTER",
    "80004004, E_ABORT",
    "80004005, E_FAIL",
    "8000FFFF, E_UNEXPECTED",
    "8000000A, E_PENDING",
    "80010105, RPC_E_SERVERFAULT",
    "80010106, RPC_E_CHANGED_MODE",
    "80010108, RPC_E_DISCONNECTED",
    "8001010E, RPC_E_WRONG_THREAD",
    "80020006, DISP_E_UNKNOWNNAME",
    "80040110, CLASS_E_NOAGGREGATION",
    "80040111, CLASS_E_CLASSNOTAVAILABLE",
    "80040154, REGDB_E_CLASSNOTREG",
    "800401F0, CO_E_NOTINITIALIZED",
    "80080005, CO_E_SERVER_EXEC_FAILURE",
    "80131500, COR_E_EXCEPTION",
    "80131506, COR_E_EXECUTIONENGINE",
    "80131509, COR_E_INVALIDOPERATION",
    "80131604, COR_E_TARGETINVOCATION",
    "80131620, COR_E_IO",
    "80131621, COR_E_FILELOAD",
    "80131623, COR_E_FAILFAST",
    "80240022, WU_E_ALL_UPDATES_FAILED",
    "80041003, WBEM_E_ACCESS_DENIED",
    "887A0005, DXGI_ERROR_DEVICE_REMOVED",
    "887A0006, DXGI_ERROR_DEVICE_HUNG",
    "88890004, AUDCLNT_E_DEVICE_INVALIDATED",
  })
  void anHresultHasTheNameOfTheHeader(String code, String name) {
    assertEquals(name, codes.hresult(hex(code)));
  }

  @ParameterizedTest
  @CsvSource({
    "80070002, ERROR_FILE_NOT_FOUND",
    "800700B7, ERROR_ALREADY_EXISTS",
    "80072746, WSAECONNRESET",
    "80072EE2, ERROR_INTERNET_TIMEOUT",
    "800706BA, RPC_S_SERVER_UNAVAILABLE",
  })
  void aWin32ErrorInAnHresultHasTheNameOfTheError(String code, String name) {
    assertEquals(name, codes.hresult(hex(code)));
  }

  @ParameterizedTest
  @CsvSource({
    "80070005, E_ACCESSDENIED",
    "80070006, E_HANDLE",
    "8007000E, E_OUTOFMEMORY",
    "80070057, E_INVALIDARG",
  })
  void fourWin32ErrorsHaveANameOfTheirOwnAsHresults(String code, String name) {
    assertEquals(name, codes.hresult(hex(code)));
  }

  @ParameterizedTest
  @CsvSource({
    "D0000022, STATUS_ACCESS_DENIED",
    "D0000034, STATUS_OBJECT_NAME_NOT_FOUND",
    "90000005, STATUS_BUFFER_OVERFLOW",
    "10000102, STATUS_TIMEOUT",
  })
  void aStatusInAnHresultHasTheNameOfTheStatus(String code, String name) {
    assertEquals(name, codes.hresult(hex(code)));
  }

  @Test
  void aWin32ErrorInAStatusHasTheNameOfTheError() {
    assertEquals("ERROR_FILE_NOT_FOUND", codes.ntStatus(0xC0070002));
  }

  @Test
  void codesWithoutANameHaveNone() {
    assertNull(codes.ntStatus(0xC000FFFE));
    assertNull(codes.ntStatus(0xC007FFFE));
    assertNull(codes.win32(-1));
    assertNull(codes.win32(0xC0000022));
    assertNull(codes.hresult(0x8007FFFE));
    assertNull(codes.hresult(0xD000FFFE));
    assertNull(codes.hresult(0x00070005));
    assertNull(codes.hresult(2));
  }

  @ParameterizedTest
  @CsvSource({
    "S-1-1-0, Everyone",
    "S-1-3-0, CREATOR OWNER",
    "S-1-5-7, ANONYMOUS LOGON",
    "S-1-5-11, Authenticated Users",
    "S-1-5-18, SYSTEM",
    "S-1-5-19, LOCAL SERVICE",
    "S-1-5-20, NETWORK SERVICE",
    "S-1-5-32-544, Administrators",
    "S-1-5-32-545, Users",
    "S-1-5-32-555, Remote Desktop Users",
    "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464, TrustedInstaller",
    "S-1-15-2-1, ALL APPLICATION PACKAGES",
    "S-1-16-12288, High Mandatory Level",
  })
  void aSidThatIsTheSameEverywhereHasItsEnglishName(String sid, String name) {
    assertEquals(name, codes.wellKnownSid(sid));
  }

  @Test
  void theAccountsOfASessionAreNamedAfterIt() {
    assertEquals("DWM-1", codes.wellKnownSid("S-1-5-90-0-1"));
    assertEquals("UMFD-0", codes.wellKnownSid("S-1-5-96-0-0"));
    assertNull(codes.wellKnownSid("S-1-5-90-0-"));
    assertNull(codes.wellKnownSid("S-1-5-96-0-1-2"));
  }

  @Test
  void anAccountOfAMachineHasNoWellKnownName() {
    assertNull(codes.wellKnownSid("S-1-5-21-1004336348-1177238915-682003330-500"));
    assertNull(codes.wellKnownSid(""));
  }

  @Test
  void everyLineIsANumberAndANameAndNoNumberComesTwice() throws IOException {
    Pattern hex = Pattern.compile("0x[0-9A-F]{8}\t[A-Za-z]\\w+");
    Pattern decimal = Pattern.compile("\\d{1,5}\t[A-Za-z]\\w+");
    Pattern sid = Pattern.compile("S-1(-\\d+)+\t\\S.*\\S");
    assertTrue(wellFormed("ntstatus.tsv", hex).size() >= 1700);
    assertTrue(wellFormed("win32.tsv", decimal).size() >= 2500);
    assertTrue(wellFormed("hresult.tsv", hex).size() >= 300);
    assertTrue(wellFormed("sids.tsv", sid).size() >= 60);
  }

  @Test
  void everyLineIsTheAnswerToItsNumber() throws IOException {
    for (String line : lines("ntstatus.tsv")) {
      assertEquals(name(line), codes.ntStatus(Long.decode(number(line)).intValue()), line);
    }
    for (String line : lines("win32.tsv")) {
      assertEquals(name(line), codes.win32(Integer.parseInt(number(line))), line);
    }
    for (String line : lines("hresult.tsv")) {
      assertEquals(name(line), codes.hresult(Long.decode(number(line)).intValue()), line);
    }
    for (String line : lines("sids.tsv")) {
      assertEquals(name(line), codes.wellKnownSid(number(line)), line);
    }
  }

  @Test
  void threadsThatAskFirstAtTheSameTimeGetTheSameAnswer() throws Exception {
    int threads = 8;
    CyclicBarrier together = new CyclicBarrier(threads);
    StatusCodes fresh = new StatusCodes();
    List<Callable<@Nullable String>> questions = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      questions.add(() -> {
        together.await();
        return fresh.ntStatus(0xC0000022);
      });
    }
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      for (Future<@Nullable String> answer : pool.invokeAll(questions)) {
        assertEquals("STATUS_ACCESS_DENIED", answer.get());
      }
    }
  }

  private static Set<String> wellFormed(String resource, Pattern form) throws IOException {
    Set<String> numbers = new HashSet<>();
    Set<String> names = new HashSet<>();
    for (String line : lines(resource)) {
      assertTrue(form.matcher(line).matches(), () -> resource + ": " + line);
      assertTrue(numbers.add(number(line)), () -> resource + ": number twice: " + line);
      assertTrue(names.add(name(line)), () -> resource + ": name twice: " + line);
    }
    return numbers;
  }

  private static String number(String line) {
    return line.substring(0, line.indexOf('\t'));
  }

  private static String name(String line) {
    return line.substring(line.indexOf('\t') + 1);
  }

  private static List<String> lines(String resource) throws IOException {
    try (InputStream in = StatusCodes.class.getResourceAsStream(resource)) {
      assertNotNull(in, resource);
      List<String> lines = new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      assertTrue(lines.get(0).startsWith("# "), resource);
      return lines.stream().filter(line -> !line.startsWith("#")).toList();
    }
  }
}

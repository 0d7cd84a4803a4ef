package io.ntrail.programs.services;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.ServiceHash;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Names of services and their hashes. */
class ServiceNameHashTest {
  @Test
  void theHashIsThatOfTheOneListedRecord() {
    assertEquals(0xB74A_2D8F, ServiceNameHash.of("OpenKeyTransacted"));
  }

  @Test
  void theHashOfNothingIsZero() {
    assertEquals(0, ServiceNameHash.of(""));
  }

  @Test
  void everySharedNameHasTheSharedHash() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    List<ServiceHash> rows = ServiceHash.all();
    assertTrue(rows.size() >= 30, () -> rows.size() + " rows");
    rows.forEach(row -> assertEquals(row.hash(), ServiceNameHash.of(row.name()), row.name()));
  }

  @Test
  void theListHasTheNamesOfTheSharedHashes() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    ServiceNames names = ServiceNames.load();
    for (ServiceHash row : ServiceHash.all()) {
      assertEquals("Nt" + row.name(), names.name(row.hash()));
    }
  }

  @Test
  void theListIsSortedAndEveryNameHasAHashOfItsOwn() {
    List<String> list = ServiceNames.load().list();
    assertEquals(list.stream().sorted().distinct().toList(), list);
    HashSet<Integer> hashes = new HashSet<>();
    for (String name : list) {
      assertTrue(name.matches("Nt[A-Za-z0-9_]+"), name);
      assertTrue(hashes.add(ServiceNameHash.of(name.substring(2))), name);
    }
    assertTrue(list.size() > 2000, () -> list.size() + " names");
    assertTrue(list.contains("NtUserGetMessage"));
    assertTrue(list.contains("NtGdiBitBlt"));
  }

  @Test
  void aNameWithoutCapitalAfterNtIsNotAService() {
    assertTrue(ServiceNameHash.isPrefixed("NtClose"));
    assertTrue(ServiceNameHash.isPrefixed("ZwClose"));
    assertFalse(ServiceNameHash.isPrefixed("Ntfs"));
    assertFalse(ServiceNameHash.isPrefixed("Nt"));
    assertFalse(ServiceNameHash.isPrefixed("RtlNtStatusToDosError"));
  }
}

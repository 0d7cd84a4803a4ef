package io.ntrail.cli.pt.recipe;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Kernel event that WPR can have a piece of Processor Trace written behind.
 *
 * <p>Source: SystemStackEnumeration of WPR's schema, as published for Windows 10 of 2017. Which
 * keyword turns an event on follows from the published groups of kernel events.
 *
 * @param name as the schema spells it
 * @param keyword of the system provider, without which the event is not logged; empty if none is
 *     needed or known
 */
record KernelTrigger(String name, Optional<String> keyword) {
  /** Events that are logged without a keyword. */
  private static final String ALWAYS = "Mark";

  /** A line: a keyword, or -, and events. */
  private static final String EVENTS =
      """
      Alpc AlpcClosePort AlpcConnectFail AlpcConnectRequest AlpcConnectSuccess AlpcReceiveMessage
      Alpc AlpcSendMessage AlpcUnwait AlpcWaitForNewMessage AlpcWaitForReply
      CC CcCanIWriteFail CcFlushCache CcFlushSection CcLazyWriteScan CcReadAhead CcWorkitemComplete
      CC CcWorkitemDequeue CcWorkitemEnqueue CcWriteBehind
      WakeCounter ChargeWakeCounterUser ChargeWakeCounterDevice ChargeWakeCounterKernel
      WakeCounter ChargeWakeCounterPower ReleaseWakeCounterUser ReleaseWakeCounterDevice
      WakeCounter ReleaseWakeCounterKernel ReleaseWakeCounterPower
      ContiguousMemorygeneration ContiguousMemoryGeneration
      CSwitch CSwitch
      DiskIOInit DiskFlushInit DiskReadInit DiskWriteInit
      - ExecutiveResource
      FileIOInit FileCleanup FileClose FileCreate FileDelete FileDirEnum FileDirNotify FileFlush
      FileIOInit FileFSCTL FileQueryInformation FileRead FileRename FileSetInformation FileWrite
      FileIO FileOpEnd
      Handle HandleCreate HandleClose HandleDuplicate
      HardFaults HardFault
      - HeapAllocation HeapCreate HeapDestroy HeapFree HeapRangeCreate HeapRangeDestroy
      - HeapRangeRelease HeapRangeReserve HeapReallocation
      Loader ImageLoad ImageUnload
      KernelQueue KernelQueueEnqueue KernelQueueDequeue
      - KernelSignal KernelSignalInit KernelSync KernelSyncAll KernelWaitSync KernelWaitSyncAll
      - MapFile Mark
      FilterIOInit MiniFilterPreOpInit MiniFilterPostOpInit
      Object ObjectCreate ObjectDelete ObjectReference
      - PageAccess
      AllFaults PagefaultAV PagefaultCopyOnWrite PagefaultDemandZero PagefaultGuard PagefaultHard
      AllFaults PagefaultTransition
      - PagefileBackedImageMapping PagefileMappedSectionCreate PagefileMappedSectionDelete
      - PageRangeAccess PageRangeRelease PageRelease
      Pool PoolAllocation PoolAllocationSession PoolFree PoolFreeSession
      Power PowerDeviceNotify PowerDeviceNotifyComplete PowerIdleStateChange PowerPerfStateChange
      Power PowerPostSleep PowerPreSleep PowerSessionCallout PowerSessionCalloutReturn
      Power PowerSetDevicesState PowerSetDevicesStateReturn PowerSetPowerAction
      Power PowerSetPowerActionReturn PowerThermalConstraint
      ProcessThread ProcessCreate ProcessDelete
      ProcessFreeze ProcessFreeze ProcessResume
      SampledProfile SampledProfile SampledProfileSetInterval
      ReadyThread ReadyThread
      Registry RegistryCloseKey RegistryCreateKey RegistryDeleteKey RegistryDeleteValue
      Registry RegistryEnumerateKey RegistryEnumerateValueKey RegistryFlush RegistryKcbCreate
      Registry RegistryKcbDelete RegistryOpenKey RegistryQueryKey RegistryQueryMultipleValue
      Registry RegistryQuerySecurity RegistryQueryValue RegistrySetInformation RegistrySetSecurity
      Registry RegistrySetValue RegistryVirtualize
      RegistryHive RegHiveInit RegHiveDestroy RegHiveLink RegHiveDirty
      SplitIO SplitIO
      SystemCall SystemCallEnter SystemCallExit
      ProcessThread ThreadCreate ThreadDCEnd ThreadDCStart ThreadDelete
      - ThreadPoolCallbackCancel ThreadPoolCallbackDequeue ThreadPoolCallbackEnqueue
      - ThreadPoolCallbackStart ThreadPoolCallbackStop ThreadPoolClose ThreadPoolCreate
      - ThreadPoolSetMaxThreads ThreadPoolSetMinThreads
      ThreadPriority ThreadSetBasePriority ThreadSetPriority
      - TimerPeriodic TimerOneShot UnMapFile
      VirtualAllocation VirtualAllocation VirtualFree
      """;

  /** Returns all of them. */
  static List<KernelTrigger> all() {
    List<KernelTrigger> all = new ArrayList<>();
    EVENTS
        .lines()
        .map(line -> line.split(" "))
        .forEach(words -> {
          Optional<String> keyword = Optional.of(words[0]).filter(word -> !word.equals("-"));
          for (int i = 1; i < words.length; i++) {
            all.add(new KernelTrigger(words[i], keyword));
          }
        });
    return all;
  }

  /** Returns the one with a name, in any case. */
  static Optional<KernelTrigger> named(String name) {
    return all().stream().filter(trigger -> trigger.name.equalsIgnoreCase(name)).findFirst();
  }

  /** Returns whether it is not known what has to be turned on for the event to be logged. */
  boolean isKeywordUnknown() {
    return keyword.isEmpty() && !name.equals(ALWAYS);
  }
}

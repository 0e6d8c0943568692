# Networks and output layers without Python, for the kernel and for the decoder. Their sums are the
# same in both, as they are compiled once.
include_guard(GLOBAL)
add_library(nlmt_neural STATIC
  ${CMAKE_CURRENT_LIST_DIR}/networks/window_network.cpp
  ${CMAKE_CURRENT_LIST_DIR}/outputs/units.cpp
  ${CMAKE_CURRENT_LIST_DIR}/outputs/word_output.cpp)
nlmt_compile(nlmt_neural)
target_link_libraries(nlmt_neural PUBLIC base)
target_include_directories(nlmt_neural PUBLIC ${CMAKE_CURRENT_LIST_DIR})

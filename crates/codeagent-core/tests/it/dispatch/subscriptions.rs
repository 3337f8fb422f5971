//! Subscriptions to events and delegates.

use super::check;

#[test]
fn a_function_may_be_added_to_a_delegate_without_event() {
    let code = "class Door {
    public delegate void Opened(int id);
    public Opened Open;
    public System.Action<int> Shut { get; set; }
    public int Count;
}
class House {
    void Watch(Door door, int more) {
        door.Open += Greet;
        door.Shut += id => Greet(id);
        door.Count += more;
    }
    void Greet(int id) { }
}
";
    check(
        &[("House.cs", code)],
        &[
            "subscribes Door.Open -> House.Greet House.cs:9",
            "subscribes Door.Shut -> House.Watch House.cs:10",
        ],
    );
}

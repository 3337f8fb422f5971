namespace Shop.Domain;

public enum CustomerLevel
{
    Regular,
    Silver,
    Gold,
}

public class Customer(int id, string name, string email) : Entity(id)
{
    public string Name { get; } = name;

    public string Email { get; } = email;

    public CustomerLevel Level { get; private set; } = CustomerLevel.Regular;

    public void Promote()
    {
        Level = Level switch
        {
            CustomerLevel.Regular => CustomerLevel.Silver,
            _ => CustomerLevel.Gold,
        };
    }
}
